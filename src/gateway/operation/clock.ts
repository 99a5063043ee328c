/** A source of time, so that tests can supply their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Pauses between two attempts. */
  sleep(ms: number): Promise<void>;
  /** Resolves when a time limit has passed. Tests make limits longer, but not pauses. */
  timeout(ms: number): Promise<void>;
}

const elapse = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());

/** The machine's clock. Neither a pause nor a time limit keeps the process running. */
export const machineClock: Clock = { now: () => Date.now(), sleep: elapse, timeout: elapse };
