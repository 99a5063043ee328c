/** A value that is read at most once per second, however often it is requested. */
export interface Remembered<T> {
  /** The last value read. Reads it again in the background if it is older than a second. */
  latest(): T;
  /** Waits for a value read within the last second. Rejects if it could not be read. */
  current(): Promise<T>;
}

const REMEMBERED_MS = 1_000;

/**
 * Remembers what `read` returns, so that requests that need no credential cause at most one read
 * per second, one at a time.
 *
 * @param first the value until the first read has ended
 */
export function createRemembered<T>(read: () => Promise<T>, first: T): Remembered<T> {
  let latest = first;
  let last: Promise<T> | undefined;
  let isReading = false;
  let readAt = 0;

  async function readNow(): Promise<T> {
    isReading = true;
    try {
      latest = await read();
      return latest;
    } finally {
      isReading = false;
      readAt = performance.now();
    }
  }

  function current(): Promise<T> {
    if (last !== undefined && (isReading || performance.now() - readAt < REMEMBERED_MS)) {
      return last;
    }
    last = readNow();
    return last;
  }
  return {
    current,
    latest: () => {
      current().catch(() => {});
      return latest;
    },
  };
}
