/** Something that is read at most once in a second, however many ask for it. */
export interface Remembered<T> {
  /** What was read last. If that was earlier, reads again in the background. */
  latest(): T;
  /** Waits for what was read in the last second. Rejects if it could not be read. */
  current(): Promise<T>;
}

const REMEMBERED_MS = 1_000;

/**
 * Remembers what `read` returns, so that requests that need no credential cannot cause more work
 * than one read in a second, and one at a time.
 *
 * @param first what is assumed before the first read has ended
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
