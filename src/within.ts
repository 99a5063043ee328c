/** Starts a time limit, and returns what ends it before it has passed. */
export type StartLimit = (onPassed: () => void) => () => void;

/**
 * Resolves as the work does or, if a time limit passes first, with what `onLate` returns; rejects
 * with what that throws. The timer ends with the work.
 *
 * @param limit milliseconds, or what starts another kind of limit
 */
export function within<Result, Late>(
  work: Promise<Result>,
  limit: number | StartLimit,
  onLate: () => Late | Promise<Late>,
): Promise<Result | Late> {
  return new Promise((resolve, reject) => {
    const start = typeof limit === 'number' ? startTimer(limit) : limit;
    const end = start(() => {
      // What it throws rejects this promise.
      new Promise<Late>((settle) => settle(onLate())).then(resolve, reject);
    });
    work.then(resolve, reject).finally(end);
  });
}

function startTimer(ms: number): StartLimit {
  return (onPassed) => {
    const timer = setTimeout(onPassed, ms);
    return () => clearTimeout(timer);
  };
}
