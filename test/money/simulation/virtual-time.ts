import type { Clock } from '../../../src/gateway/money/engine/clock.ts';

/** A clock whose time passes only while all others wait. */
export interface VirtualTime extends Clock {
  /** Wakes all sleepers in the order of their time, until nothing sleeps any more. */
  run(): Promise<void>;
}

interface Sleeper {
  readonly at: number;
  readonly order: number;
  /** Undefined if nobody waits any more. */
  wake: (() => void) | undefined;
}

/** Creates a clock that starts at zero. */
export function createVirtualTime(): VirtualTime {
  const sleepers = createHeap();
  let now = 0;
  let order = 0;
  function startLimit(ms: number, wake: () => void): () => void {
    const sleeper: Sleeper = { at: now + Math.max(0, ms), order: order++, wake };
    sleepers.add(sleeper);
    return () => {
      sleeper.wake = undefined;
    };
  }

  function takeWaiting(): Sleeper | undefined {
    let next = sleepers.takeFirst();
    while (next !== undefined && next.wake === undefined) next = sleepers.takeFirst();
    return next;
  }

  return {
    now: () => now,
    sleep: (ms) => new Promise((wake) => void startLimit(ms, wake)),
    startLimit,
    run: async () => {
      // From here on, this is a microtask.
      await Promise.resolve();
      for (;;) {
        await everythingElse();
        const next = takeWaiting();
        if (next === undefined) return;
        now = next.at;
        next.wake?.();
      }
    },
  };
}

/**
 * Resolves when all others wait: requested by a microtask, a tick comes after the last of the
 * microtasks. It costs less than a turn of the event loop.
 */
const everythingElse = () => new Promise<void>((resolve) => process.nextTick(resolve));

/** Sleepers, of which the first to wake can be taken. */
function createHeap() {
  const heap: Sleeper[] = [];
  const isBefore = (a: Sleeper, b: Sleeper) => a.at < b.at || (a.at === b.at && a.order < b.order);

  function add(sleeper: Sleeper): void {
    let index = heap.length;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || !isBefore(sleeper, parent)) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = sleeper;
  }

  function takeFirst(): Sleeper | undefined {
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let index = 0;
    for (;;) {
      let below = 2 * index + 1;
      const [left, right] = [heap[below], heap[below + 1]];
      if (left === undefined) break;
      let child = left;
      if (right !== undefined && isBefore(right, left)) {
        child = right;
        below++;
      }
      if (!isBefore(child, last)) break;
      heap[index] = child;
      index = below;
    }
    heap[index] = last;
    return first;
  }
  return { add, takeFirst };
}
