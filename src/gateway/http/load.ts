import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Arrivals, createArrivals } from './arrivals.ts';
import type { HttpError } from './respond.ts';

/** How much work the process takes on. */
export interface LoadLimits {
  /** Requests that run at the same time. As many more can arrive meanwhile. */
  readonly inFlight: number;
  /** How late the event loop may be, in milliseconds; 200 if left out. */
  readonly loopDelayMs?: number | undefined;
}

const WINDOW_MS = 500;
const LOOP_DELAY_MS = 200;

/** Rejects requests while there is too much work. */
export interface Load {
  /** Says why a request would be rejected now, so that its body need not be read. */
  check(): HttpError | undefined;
  /** The requests whose bodies are read. They do not run yet. */
  readonly arrivals: Arrivals;
  /** Counts a request until the returned function is called, or says why it is rejected. */
  enter(): (() => void) | HttpError;
  stop(): void;
  /** Requests that run now. */
  readonly running: number;
}

/** Watches the load of this process. */
export function watchLoad({ inFlight, loopDelayMs = LOOP_DELAY_MS }: LoadLimits): Load {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  let isLate = false;
  const timer = setInterval(() => {
    // The mean, because one long turn is over by the time it is noticed.
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
  message: 'The gateway has too much work. Nothing was done. Repeat the request later.',
  headers: { 'retry-after': '1' },
};

/** Items that come and go. */
export interface Slots<T> extends Iterable<T> {
  /** Adds an item, and returns what removes it. */
  add(item: T): () => void;
}

/**
 * Creates an empty set of slots. A `Map` or `Set` with many changes gets a new table again and
 * again, and each former table refers to the next one: once one of them is old, everything that
 * any later table contained stays in memory until the next full garbage collection.
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
