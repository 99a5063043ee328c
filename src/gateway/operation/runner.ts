import { createShares } from '../shares.ts';
import type { Attempt, EffectFinder, Verdict } from './attempt.ts';
import { createBackground } from './background.ts';
import { createFollowers, type Limits, type Show } from './followers.ts';
import { isStale } from './is-stale.ts';
import { createLists, type Reader } from './lists.ts';
import { isInProgress, isOpen, type Operation, type OperationIn } from './operation.ts';
import type { Parts, RunnerOptions } from './parts.ts';
import { LEAST_MS, NO_PLACE, PLACES, waitForPlace } from './place.ts';
import { createQueue } from './queue.ts';
import { reconcile } from './reconcile.ts';
import { resume } from './resume.ts';
import { send, toVerdict } from './send.ts';
import type { ListedOperation, OperationQuery } from './store/operation-list.ts';
import type { Claim } from './store/operation-store.ts';
import { StoreUnavailableError, withStoreTimeout } from './store/store-timeout.ts';

/**
 * Runs money operations: one POST each that may have been applied, and a second only under the
 * conservation guard.
 */
export interface Runner {
  /**
   * Performs an operation, or returns what became of it.
   *
   * @param deadline until when the caller waits, by the runner's clock; a POST that was sent
   *   continues without the caller
   */
  run<Invalid>(attempt: Attempt<Invalid>, deadline: number): Promise<Verdict<Invalid>>;
  /**
   * Finds an operation by its key, and reconciles it if its outcome is unknown. Throws
   * {@link StoreUnavailableError}.
   */
  find(merchantId: string, key: string, finder: EffectFinder): Promise<Operation | undefined>;
  /** Lists operations of a merchant, as recorded. Throws {@link StoreUnavailableError}. */
  list(query: OperationQuery, reader: Reader): Promise<readonly ListedOperation[]>;
  /** Reconciles every operation with an unknown outcome. Sends nothing. */
  reconcileAll(finder: EffectFinder): Promise<void>;
  /** Whether the store can be read. */
  isAvailable(): Promise<boolean>;
  /** Waits for everything that is being sent. */
  close(): Promise<void>;
}

/** How long a caller waits for the same key, or for another operation on the transaction. */
const WAIT_MS = 2_000;
const RECONCILED_AT_ONCE = 100;

/** Creates a runner over a store. */
export function createRunner(options: RunnerOptions): Runner {
  const { clock, places = PLACES } = options;
  const background = createBackground(clock);
  const store = withStoreTimeout(options.store, clock, options);
  const parts: Parts = { ...options, store, background, shares: createShares(places) };
  const enterQueue = createQueue(clock);
  const follow = createFollowers(clock);

  async function runAlone<Invalid>(
    attempt: Attempt<Invalid>,
    limits: Limits,
    show: Show,
  ): Promise<Verdict<Invalid>> {
    const { lockKey } = attempt.intent;
    const leave = lockKey === null ? undefined : await enterQueue(lockKey, limits.patience);
    try {
      for (;;) {
        const verdict = await tryOnce(parts, attempt, limits, show);
        if (verdict === undefined) continue;
        if (verdict.kind === 'OPERATION' && (await isStale(parts, verdict.operation))) continue;
        return verdict;
      }
    } catch (error) {
      if (error instanceof StoreUnavailableError) return { kind: 'STORE_UNAVAILABLE' };
      throw error;
    } finally {
      leave?.();
    }
  }
  return {
    run: (attempt, deadline) => {
      const limits = { deadline, patience: Math.min(deadline, clock.now() + WAIT_MS) };
      return follow(attempt, limits, (show) => runAlone(attempt, limits, show));
    },
    find: async (merchantId, key, finder) => {
      for (;;) {
        const known = await store.find(merchantId, key);
        const operation = known && (await reconcile(parts, known, finder));
        // As far as callers know, nothing was ever sent for a released operation.
        if (operation === undefined || operation.state === 'RELEASED') return undefined;
        if (!(await isStale(parts, operation))) return operation;
      }
    },
    list: createLists(parts),
    reconcileAll: async (finder) => {
      let after: string | undefined;
      do {
        const some = await store.listUnknown(after, RECONCILED_AT_ONCE);
        for (const operation of some) await reconcile(parts, operation, finder);
        after = some.at(-1)?.id;
      } while (after !== undefined);
    },
    isAvailable: () =>
      store.find('', '').then(
        () => true,
        () => false,
      ),
    close: background.close,
  };
}

/** Returns undefined when the situation has changed and the caller should try again. */
async function tryOnce<Invalid>(
  parts: Parts,
  attempt: Attempt<Invalid>,
  limits: Limits,
  show: Show,
): Promise<Verdict<Invalid> | undefined> {
  const { merchantId, key } = attempt.intent;
  const known = await parts.store.find(merchantId, key);
  return known === undefined
    ? begin(parts, attempt, limits, show)
    : proceed(parts, attempt, known, limits, show);
}

/** Begins a new operation when the merchant has a place for it. */
async function begin<Invalid>(
  parts: Parts,
  attempt: Attempt<Invalid>,
  limits: Limits,
  show: Show,
): Promise<Verdict<Invalid> | undefined> {
  const { clock, store, background } = parts;
  const { intent, invalid } = attempt;
  const { deadline } = limits;
  if (invalid !== undefined) return { kind: 'INVALID_REQUEST', invalid };
  if (deadline - clock.now() < LEAST_MS) return { kind: 'NOT_SENT' };
  const leave = await waitForPlace(parts, intent, deadline);
  if (leave === undefined) return { kind: 'NOT_SENT', reason: NO_PLACE };
  let claim: Claim | undefined;
  try {
    claim = await store.claim(intent);
  } finally {
    if (claim?.kind !== 'CLAIMED') leave();
  }
  const { operation } = claim;
  if (claim.kind === 'KNOWN') return proceed(parts, attempt, operation, limits, show);
  if (claim.kind === 'BUSY') return busy(parts, operation, attempt, limits);
  show(operation);
  const work = send(parts, claim.operation, attempt, deadline, leave).finally(leave);
  const late = { kind: 'OPERATION', operation, replayed: false } as const;
  return background.continueInBackground(operation.id, work, deadline, late);
}

/** Returns what became of a known operation, or continues it. */
async function proceed<Invalid>(
  parts: Parts,
  attempt: Attempt<Invalid>,
  operation: Operation,
  limits: Limits,
  show: Show,
): Promise<Verdict<Invalid> | undefined> {
  const { clock, store, background } = parts;
  const { deadline, patience } = limits;
  if (operation.fingerprint !== attempt.intent.fingerprint) return { kind: 'KEY_REUSED' };
  if (isInProgress(operation) && clock.now() < patience) {
    await background.wait(operation.id, patience);
    return undefined;
  }
  const mayPost = deadline - clock.now() >= LEAST_MS;
  const continueWith = (unknown: OperationIn<'UNKNOWN'>, retaken: boolean) => {
    show(unknown);
    const work = resume(parts, unknown, attempt, { deadline, mayPost, retaken });
    const late = { kind: 'OPERATION', operation: unknown, replayed: true } as const;
    return background.continueInBackground(unknown.id, work, deadline, late);
  };
  if (operation.state === 'UNKNOWN') return continueWith(operation, false);
  if (operation.state !== 'RELEASED') return toVerdict(operation, true);
  if (!mayPost) return { kind: 'NOT_SENT' };
  const retaken = await store.retake(operation);
  if (retaken.kind === 'GONE') return undefined;
  return retaken.kind === 'BUSY'
    ? busy(parts, retaken.operation, attempt, limits)
    : continueWith(retaken.operation, true);
}

/** Waits for the operation that holds the lock key, whose outcome may be known by now. */
async function busy<Invalid>(
  parts: Parts,
  operation: Operation,
  attempt: Attempt<Invalid>,
  { patience }: Limits,
): Promise<Verdict<Invalid> | undefined> {
  if (isInProgress(operation) && parts.clock.now() < patience) {
    await parts.background.wait(operation.id, patience);
    return undefined;
  }
  const other = await reconcile(parts, operation, attempt);
  return isOpen(other) ? { kind: 'BUSY', other } : undefined;
}
