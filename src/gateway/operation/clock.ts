/** A source of time, so that tests can supply their own. */
export interface Clock {
  /** Milliseconds. Only differences count: the machine's clock may be set. */
  now(): number;
  /** Pauses between two attempts. */
  sleep(ms: number): Promise<void>;
  /**
   * Starts a time limit. Returns what ends it before it has passed. Tests make limits longer, but
   * not pauses.
   */
  startLimit(ms: number, onPassed: () => void): () => void;
}
