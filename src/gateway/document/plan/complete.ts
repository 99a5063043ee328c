import { fail, type PlanRun } from './plan-run.ts';

/**
 * Turns what was read into what the response contains, or a promise of it. Such a promise never
 * rejects. May throw.
 */
export type Complete = (run: PlanRun, value: unknown) => unknown;

/** Completes a value, or what a promise resolves to. */
export function completeLater(run: PlanRun, value: unknown, complete: Complete): unknown {
  if (!isPromise(value)) return complete(run, value);
  const completeNow = (resolved: unknown) => {
    try {
      return complete(run, resolved);
    } catch {
      return fail(run);
    }
  };
  const promise = value instanceof Promise ? value : Promise.resolve(value);
  return promise.then(completeNow, () => fail(run));
}

function isPromise(value: unknown): value is Promise<unknown> {
  // Most objects have no such property.
  return (
    typeof value === 'object' &&
    value !== null &&
    // Any object may have the property. `in` would look it up a second time.
    typeof (value as { then?: unknown }).then === 'function'
  );
}

/**
 * Waits for the properties of an object that are promises, of which at least one is and none
 * rejects. `Promise.all` would make one more promise for each.
 */
export function settle(object: Record<string, unknown>): Promise<object> {
  const names = Object.keys(object).filter((name) => object[name] instanceof Promise);
  let waiting = names.length;
  return new Promise((resolve) => {
    for (const name of names) {
      // The names are those of promises.
      void (object[name] as Promise<unknown>).then((completed) => {
        object[name] = completed;
        waiting--;
        if (waiting === 0) resolve(object);
      });
    }
  });
}
