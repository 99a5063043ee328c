import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Arrivals, createArrivals } from './arrivals.ts';
import type { HttpError } from './respond.ts';

/** How much work the process takes on. */
export interface LoadLimits {
  /** Requests that run at the same time. The same number can be arriving. */
  readonly inFlight: number;
  /** How late the event loop may be, in milliseconds. Default: 200. */
  readonly loopDelayMs?: number | undefined;
}

const WINDOW_MS = 500;
const LOOP_DELAY_MS = 200;

/** Rejects requests while there is too much work. */
export interface Load {
  /** Returns why a request would be rejected now, so that its body need not be read. */
  check(): HttpError | undefined;
  /** The requests whose bodies are being read. They are not running yet. */
  readonly arrivals: Arrivals;
  /** Counts a request until the returned function is called, or returns why it is rejected. */
  enter(): (() => void) | HttpError;
  stop(): void;
  /** Number of running requests. */
  readonly running: number;
}

/** Watches the load of this process. */
export function watchLoad({ inFlight, loopDelayMs = LOOP_DELAY_MS }: LoadLimits): Load {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  let isLate = false;
  const timer = setInterval(() => {
    // The mean, because a single long turn is over by the time it is noticed.
    isLate = delay.mean / 1e6 > loopDelayMs;
    delay.reset();
  }, WINDOW_MS).unref();
  let running = 0;
  const check = () => (running >= inFlight || isLate ? OVERLOADED : undefined);
  return {
    check,
    arrivals: createArrivals(inFlight, OVERLOADED),
    get running() {
      return running;
    },
    enter: () => {
      const rejected = check();
      if (rejected !== undefined) return rejected;
      running++;
      let isIn = true;
      return () => {
        if (isIn) running--;
        isIn = false;
      };
    },
    stop: () => {
      clearInterval(timer);
      delay.disable();
    },
  };
}

const OVERLOADED: HttpError = {
  status: 503,
  code: 'OVERLOADED',
  message: 'The gateway is overloaded. Nothing was done. Try again later.',
  headers: { 'retry-after': '1' },
};

/** Items that come and go. */
export interface Slots<T> extends Iterable<T> {
  /** Adds an item. Returns a function that removes it. */
  add(item: T): () => void;
}

/**
 * Creates an empty set of slots. A `Map` or `Set` with many changes keeps getting new tables, and
 * each old table refers to the next one: once one of them is in old space, everything that any
 * later table contained stays in memory until the next full garbage collection.
 */
export function createSlots<T>(): Slots<T> {
  const slots: (T | undefined)[] = [];
  const free: number[] = [];
  return {
    add: (item) => {
      const index = free.pop() ?? slots.length;
      slots[index] = item;
      return () => {
        if (slots[index] !== item) return;
        slots[index] = undefined;
        free.push(index);
      };
    },
    *[Symbol.iterator]() {
      for (const item of slots) if (item !== undefined) yield item;
    },
  };
}
