/** The time limit of one call. */
export interface TimeLimit {
  /** Aborted with a `TimeoutError` when the time has passed. */
  readonly signal: AbortSignal;
  /** Ends the limit, because the call has ended. */
  clear(): void;
}

/** A timer that fires later than this shows that the event loop was blocked. */
const LATE_MS = 50;
/** How long the event loop may then read what has arrived in the meantime. */
const EXTENSION_MS = 100;
const MAX_EXTENSIONS = 3;

/**
 * Starts a time limit. A response that arrived in time is read, even if the event loop was
 * blocked until the limit had passed: timers run before sockets are read, so a timer that is
 * late extends the limit, and any other one lets the sockets be read once. Does not keep the
 * process running.
 *
 * @param ms milliseconds
 */
export function startTimeLimit(ms: number): TimeLimit {
  const controller = new AbortController();
  let extensions = 0;
  let stop = () => {};

  function start(durationMs: number): void {
    const due = performance.now() + durationMs;
    const timer = setTimeout(() => {
      const isLate = performance.now() - due > LATE_MS;
      if (isLate && extensions++ < MAX_EXTENSIONS) start(EXTENSION_MS);
      else abortAfterRead();
    }, durationMs).unref();
    stop = () => clearTimeout(timer);
  }

  function abortAfterRead(): void {
    const read = setImmediate(() => {
      controller.abort(new DOMException('The time limit has passed.', 'TimeoutError'));
    }).unref();
    stop = () => clearImmediate(read);
  }

  start(ms);
  return { signal: controller.signal, clear: () => stop() };
}
