import { type StartLimit, within } from '../../within.ts';
import type { Leave } from '../upstream/shares.ts';
import type { Attempt, Verdict } from './attempt.ts';
import type { Clock } from './engine/clock.ts';
import type { Operation } from './engine/operation.ts';

/** When a caller stops waiting, by the runner's clock. */
export interface Limits {
  /** For the result of its own operation. */
  readonly deadline: number;
  /** For the same key, or for another operation on the transaction. */
  readonly patience: number;
}

/** Shows the operation that a run works on to those who wait for the run. */
export type Show = (operation: Operation) => void;

/** Runs requests. Requests for the same operation share one run. */
export type Run = <Invalid>(
  attempt: Attempt<Invalid>,
  limits: Limits,
  run: (show: Show) => Promise<Verdict<Invalid>>,
) => Promise<Verdict<Invalid>>;

/** A run that others wait for. */
interface Running {
  /** Undefined if it failed. */
  readonly ended: Promise<Verdict<unknown> | undefined>;
  /** Resolves when the operation that it works on is known. */
  readonly shown: Promise<Verdict<never>>;
}

/**
 * Makes requests with the same key and arguments wait for the first one, and return its operation.
 * While they wait, they use neither the store nor the service.
 */
export function createSharedRuns(clock: Clock): Run {
  const running = new Map<string, Running>();
  const until =
    (time: number): StartLimit =>
    (onPassed) =>
      clock.startLimit(time - clock.now(), onPassed);

  /** Undefined if the run has ended without a verdict for others. */
  async function waitFor(
    { ended, shown }: Running,
    { patience, deadline }: Limits,
  ): Promise<Verdict<never> | undefined> {
    const known = within(ended, until(patience), () => shown);
    const verdict = await within(known, until(deadline), () => 'TOO_LATE' as const);
    if (verdict === 'TOO_LATE') return { kind: 'NOT_SENT' };
    if (verdict?.kind === 'OPERATION') return { ...verdict, replayed: true };
    // Otherwise, the run left no operation to return, perhaps because of its caller's credential.
    return verdict?.kind === 'STORE_UNAVAILABLE' ? verdict : undefined;
  }

  return async (attempt, limits, run) => {
    const { merchantId, key, fingerprint } = attempt.intent;
    const id = JSON.stringify([merchantId, key, fingerprint]);
    for (let ahead = running.get(id); ahead !== undefined; ahead = running.get(id)) {
      const verdict = await waitFor(ahead, limits);
      if (verdict !== undefined) return verdict;
    }
    const { promise: shown, resolve } = Promise.withResolvers<Verdict<never>>();
    const work = run((operation) => resolve({ kind: 'OPERATION', operation, replayed: true }));
    const ended = work.then(
      (verdict) => verdict,
      () => undefined,
    );
    running.set(id, { ended, shown });
    try {
      return await work;
    } finally {
      running.delete(id);
    }
  };
}

/**
 * Queues the callers of one lock key in this process, in order of arrival. The store would let only
 * one of them continue anyway, each after some work.
 */
export function createQueue(clock: Clock) {
  const tails = new Map<string, Promise<void>>();

  /** Waits for the callers ahead, but not longer than `until`; then continues without them. */
  return async (lockKey: string, until: number): Promise<Leave> => {
    const ahead = tails.get(lockKey);
    const { promise: left, resolve: leave } = Promise.withResolvers<void>();
    const tail = (ahead ?? Promise.resolve())
      .then(() => left)
      .then(() => {
        if (tails.get(lockKey) === tail) tails.delete(lockKey);
      });
    tails.set(lockKey, tail);
    if (ahead !== undefined) {
      const limit: StartLimit = (onPassed) => clock.startLimit(until - clock.now(), onPassed);
      await within(ahead, limit, () => {});
    }
    return leave;
  };
}
