import type { Clock } from '../../src/gateway/operation/clock.ts';

/** A clock whose time passes only when nothing else is left to do. */
export interface VirtualTime extends Clock {
  /** Lets everything happen that is due until nothing is waiting any more. */
  run(): Promise<void>;
}

/** Makes a clock at zero. */
export function createVirtualTime(): VirtualTime {
  let now = 0;
  let order = 0;
  const waiting: { at: number; order: number; wake: () => void }[] = [];
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  const elapse = (ms: number) =>
    new Promise<void>((wake) => {
      waiting.push({ at: now + Math.max(0, ms), order: order++, wake });
    });

  return {
    now: () => now,
    sleep: elapse,
    timeout: elapse,
    run: async () => {
      for (;;) {
        await settled();
        let first = 0;
        for (let index = 1; index < waiting.length; index++) {
          const [a, b] = [waiting[index], waiting[first]];
          if (a && b && (a.at < b.at || (a.at === b.at && a.order < b.order))) first = index;
        }
        const [next] = waiting.splice(first, 1);
        if (next === undefined) return;
        now = next.at;
        next.wake();
      }
    },
  };
}

/** Random numbers that a seed repeats (mulberry32). */
export function createRandom(seed: number) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    chance: (probability: number) => next() < probability,
    integer: (least: number, most: number) => least + Math.floor(next() * (most - least + 1)),
    pick: <T>(choices: readonly T[]): T => choices[Math.floor(next() * choices.length)] as T,
  };
}

export type Random = ReturnType<typeof createRandom>;
