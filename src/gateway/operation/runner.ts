import type { Attempt, EffectFinder, Verdict } from './attempt.ts';
import { type Background, createBackground } from './background.ts';
import { isInProgress, isOpen, type Operation } from './operation.ts';
import type { Parts } from './parts.ts';
import { createQueue } from './queue.ts';
import { reconcile } from './reconcile.ts';
import { resume, send } from './send.ts';
import { StoreUnavailableError, withStoreTimeout } from './store/store-timeout.ts';

/** Runs money operations: one POST each, and a second only under the conservation guard. */
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
  /** Reconciles every operation with an unknown outcome. Sends nothing. */
  reconcileAll(finder: EffectFinder): Promise<void>;
  /** Waits for everything that is being sent. */
  close(): Promise<void>;
}

/** With less time left than this, nothing is begun. */
const LEAST_MS = 2_000;
/** How long a caller waits for the same key, or for another operation on the transaction. */
const WAIT_MS = 2_000;
const RECONCILED_AT_ONCE = 100;

/** Creates a runner over a store. */
export function createRunner(given: Parts): Runner {
  const parts = { ...given, store: withStoreTimeout(given.store, given.clock) };
  const { clock, store } = parts;
  const enterQueue = createQueue(clock);
  const background = createBackground(clock);

  return {
    run: async (attempt, deadline) => {
      const { lockKey } = attempt.intent;
      const patience = Math.min(deadline, clock.now() + WAIT_MS);
      const leave = lockKey === null ? undefined : await enterQueue(lockKey, patience);
      try {
        for (;;) {
          const verdict = await tryOnce(parts, background, attempt, deadline, patience);
          if (verdict !== undefined) return verdict;
        }
      } catch (error) {
        if (error instanceof StoreUnavailableError) return { kind: 'STORE_UNAVAILABLE' };
        throw error;
      } finally {
        leave?.();
      }
    },
    find: async (merchantId, key, finder) => {
      const operation = await store.find(merchantId, key);
      return operation && reconcile(parts, operation, finder);
    },
    reconcileAll: async (finder) => {
      let after: string | undefined;
      do {
        const some = await store.listUnknown(after, RECONCILED_AT_ONCE);
        for (const operation of some) await reconcile(parts, operation, finder);
        after = some.at(-1)?.id;
      } while (after !== undefined);
    },
    close: background.close,
  };
}

/** Returns undefined when the situation has changed and the caller should try again. */
async function tryOnce<Invalid>(
  parts: Parts,
  background: Background,
  attempt: Attempt<Invalid>,
  deadline: number,
  patience: number,
): Promise<Verdict<Invalid> | undefined> {
  const { clock, store } = parts;
  const { intent, invalid } = attempt;
  const known = await store.find(intent.merchantId, intent.key);
  if (known === undefined) {
    if (invalid !== undefined) return { kind: 'INVALID_REQUEST', invalid };
    if (deadline - clock.now() < LEAST_MS) return { kind: 'NOT_SENT' };
  }
  const claim = known ? ({ kind: 'KNOWN', operation: known } as const) : await store.claim(intent);
  const { operation } = claim;
  const inBackground = (work: Promise<Verdict<Invalid>>) => {
    const replayed = claim.kind === 'KNOWN';
    const late = { kind: 'OPERATION', operation, replayed } as const;
    return background.continueInBackground(operation.id, work, deadline, late);
  };

  if (claim.kind === 'CLAIMED') {
    return inBackground(send(parts, claim.operation, attempt, deadline));
  }
  if (claim.kind === 'KNOWN' && operation.fingerprint !== intent.fingerprint) {
    return { kind: 'KEY_REUSED' };
  }
  if (isInProgress(operation) && clock.now() < patience) {
    await background.wait(operation.id, patience);
    return undefined;
  }
  if (claim.kind === 'KNOWN') {
    if (operation.state !== 'UNKNOWN') return { kind: 'OPERATION', operation, replayed: true };
    const mayPost = deadline - clock.now() >= LEAST_MS;
    return inBackground(resume(parts, operation, attempt, deadline, mayPost));
  }
  // The other operation's outcome may be known by now, and the transaction free.
  const other = await reconcile(parts, operation, attempt);
  return isOpen(other) ? { kind: 'BUSY', other } : undefined;
}
