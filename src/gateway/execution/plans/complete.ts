import type { ASTNode } from 'graphql';
import { propagateFailure, type Required, toFailure } from './failure.ts';
import type { PlanRun } from './plan-run.ts';

/**
 * Converts a value that was read to its value in the response, or to a promise of it. May throw.
 * The promise never rejects: after an error, it resolves to a `Failure`.
 */
export type Complete = (run: PlanRun, value: unknown) => unknown;

/**
 * Completes a value, or what a promise resolves to.
 *
 * @param nodes the field in the document
 */
export function completeLater(
  run: PlanRun,
  value: unknown,
  complete: Complete,
  nodes: readonly ASTNode[],
): unknown {
  if (!isPromise(value)) return complete(run, value);
  const completeNow = (resolved: unknown) => {
    try {
      return complete(run, resolved);
    } catch (error) {
      return toFailure(run, error, nodes);
    }
  };
  const promise = value instanceof Promise ? value : Promise.resolve(value);
  return promise.then(completeNow, (error) => toFailure(run, error, nodes));
}

function isPromise(value: unknown): value is Promise<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    // Any object may have this property, but most do not. `in` would look it up a second time.
    typeof (value as { then?: unknown }).then === 'function'
  );
}

/**
 * Waits for the promises among the values of an object or a list. There is at least one.
 * Resolves to the same object or list, or to the failure that makes it null. `Promise.all` would
 * make one more promise for each value.
 */
export function settle(run: PlanRun, container: object, required: Required): Promise<unknown> {
  const values = container as Record<string, unknown>;
  const keys = Object.keys(values).filter((key) => values[key] instanceof Promise);
  let waiting = keys.length;
  return new Promise((resolve) => {
    for (const key of keys) {
      // The keys are those of promises.
      void (values[key] as Promise<unknown>).then((completed) => {
        values[key] = completed;
        waiting--;
        if (waiting > 0) return;
        const failure = run.failures > 0 && propagateFailure(container, required);
        resolve(failure || container);
      });
    }
  });
}

/**
 * Ends an object or a list in which a value that must not be null has failed. The values after it
 * are not executed. Throws the failure, or returns a promise of it if there are promises before it.
 */
export function abandon(
  run: PlanRun,
  container: object,
  required: Required,
  failed: { readonly key: string; readonly error: unknown; readonly nodes: readonly ASTNode[] },
): Promise<unknown> {
  const failure = toFailure(run, failed.error, failed.nodes);
  const all = Object.assign(container, { [failed.key]: failure });
  const waits = Object.values(all).some((value) => value instanceof Promise);
  if (waits) return settle(run, all, required);
  throw propagateFailure(all, required);
}
