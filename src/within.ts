/** Starts a time limit. Returns a function that ends it early. */
export type StartLimit = (onPassed: () => void) => () => void;

/**
 * Settles like the work or, if the time limit passes first, like `onLate`. The timer ends with the
 * work.
 *
 * @param limit milliseconds, or a function that starts another kind of limit
 */
export function within<Result, Late>(
  work: Promise<Result>,
  limit: number | StartLimit,
  onLate: () => Late | Promise<Late>,
): Promise<Result | Late> {
  return new Promise((resolve, reject) => {
    const start = typeof limit === 'number' ? startTimer(limit) : limit;
    const end = start(() => {
      // An error in `onLate` rejects this promise.
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
