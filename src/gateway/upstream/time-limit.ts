/** A timer that fires later than this shows that the event loop was blocked. */
const LATE_MS = 50;
/** How long the event loop may then read what arrived in the meantime. */
const EXTENSION_MS = 100;
const MAX_EXTENSIONS = 3;

/**
 * Starts the time limit of one call. Returns a function that ends it when the call ends. A response
 * that arrived in time is read even if the event loop was blocked until after the limit: timers run
 * before sockets are read, so a late timer extends the limit, and any other one lets the sockets be
 * read once more. Does not keep the process running.
 *
 * @param ms milliseconds
 * @param onPassed called when the time has passed. An `AbortSignal` would cost as much as the
 *   rest of the call
 */
export function startTimeLimit(ms: number, onPassed: () => void): () => void {
  let extensions = 0;
  let timer: NodeJS.Timeout | undefined;
  let read: NodeJS.Immediate | undefined;

  function start(durationMs: number): void {
    const due = performance.now() + durationMs;
    timer = setTimeout(() => {
      const isLate = performance.now() - due > LATE_MS;
      if (isLate && extensions++ < MAX_EXTENSIONS) start(EXTENSION_MS);
      else read = setImmediate(onPassed).unref();
    }, durationMs).unref();
  }

  start(ms);
  return () => {
    clearTimeout(timer);
    if (read !== undefined) clearImmediate(read);
  };
}
