/** The bytes of responses of services that all requests of this process hold. */
export interface HeldBytes {
  /** Holds bytes. False if they would be too many, and then they are not held. */
  hold(count: number): boolean;
  release(count: number): void;
  /** Whether so many are held that another response would most likely be too many. */
  isFull(): boolean;
}

/** What a usual response has. */
const USUAL_BYTES = 64 * 1_024;

/** Counts the bytes that are held: never more than `max`. */
export function createHeldBytes(max: number): HeldBytes {
  let held = 0;
  return {
    hold: (count) => {
      if (held + count > max) return false;
      held += count;
      return true;
    },
    release: (count) => {
      held -= count;
    },
    isFull: () => held + USUAL_BYTES > max,
  };
}
