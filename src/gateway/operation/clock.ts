/** Time, so that a test can make its own. */
export interface Clock {
  /** Milliseconds. */
  now(): number;
  sleep(ms: number): Promise<void>;
}

/** The machine's clock. Nobody is kept alive by a pause. */
export const machineClock: Clock = {
  now: () => Date.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref()),
};
