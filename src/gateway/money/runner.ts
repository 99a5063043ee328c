import { createShares } from '../upstream/shares.ts';
import type { Attempt, EffectFinder, Verdict } from './attempt.ts';
import { createBackground } from './background.ts';
import type { Operation } from './engine/operation.ts';
import {
  LEAST_MS,
  markReturned,
  NO_SLOT,
  type Parts,
  type RunnerOptions,
  SLOTS,
  waitForSlot,
} from './parts.ts';
import { reconcile } from './reconcile.ts';
import { repeat, waitForOther } from './repeat.ts';
import { performNew, type Run } from './run.ts';
import { createQueue, createSharedRuns, type Limits, type Show } from './shared-runs.ts';
import type { ListedOperation, OperationQuery } from './store/operation-store.ts';
import { StoreUnavailableError, watchStore } from './store/watch-store.ts';

/**
 * Runs money operations. Each sends one POST that may be applied, and a second one only under the
 * conservation guard.
 */
export interface Runner {
  /**
   * Performs an operation, or returns what became of it.
   *
   * @param deadline when the caller stops waiting, by the runner's clock; a POST that was sent
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
  const { clock, slots = SLOTS } = options;
  const background = createBackground(clock);
  const store = watchStore(options.store, clock, options);
  const parts: Parts = { ...options, store, background, shares: createShares(slots) };
  const enterQueue = createQueue(clock);
  const shareRun = createSharedRuns(clock);

  async function runAlone<Invalid>(
    attempt: Attempt<Invalid>,
    limits: Limits,
    show: Show,
  ): Promise<Verdict<Invalid>> {
    const { lockKey } = attempt.intent;
    const leave = lockKey === null ? undefined : await enterQueue(lockKey, limits.patience);
    try {
      for (let isFirst = true; ; isFirst = false) {
        const verdict = await tryOnce({ parts, attempt, limits, show }, isFirst);
        if (verdict === undefined) continue;
        if (verdict.kind === 'OPERATION' && (await markReturned(parts, verdict.operation)))
          continue;
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
      return shareRun(attempt, limits, (show) => runAlone(attempt, limits, show));
    },
    find: async (merchantId, key, finder) => {
      for (;;) {
        const known = await store.find(merchantId, key);
        const operation = known && (await reconcile(parts, known, finder));
        // A repeat of the key sends a released operation again, as if it were new.
        if (operation === undefined || operation.state === 'RELEASED') return undefined;
        if (!(await markReturned(parts, operation))) return operation;
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

/** Returns undefined if the situation has changed and the caller should try again. */
async function tryOnce<Invalid>(
  run: Run<Invalid>,
  isFirst: boolean,
): Promise<Verdict<Invalid> | undefined> {
  const { parts, attempt, limits } = run;
  const { invalid, intent } = attempt;
  const { merchantId, key } = intent;
  const hasTime = () => limits.deadline - parts.clock.now() >= LEAST_MS;
  // Most keys are new, so the first attempt claims at once. A claim also finds a known operation.
  let leave =
    isFirst && invalid === undefined && hasTime() ? parts.shares.take(merchantId) : undefined;
  if (leave === undefined) {
    const known = await parts.store.find(merchantId, key);
    if (known !== undefined) return repeat(run, known);
    if (invalid !== undefined) return { kind: 'INVALID_REQUEST', invalid };
    if (!hasTime()) return { kind: 'NOT_SENT' };
    leave = await waitForSlot(parts, intent, limits.deadline);
    if (leave === undefined) return { kind: 'NOT_SENT', reason: NO_SLOT };
  }
  const performed = await performNew(run, leave);
  if (performed.kind === 'KNOWN') return repeat(run, performed.operation);
  if (performed.kind === 'BUSY') return waitForOther(run, performed.operation);
  return performed;
}

/** Who reads a list. */
export interface Reader {
  /** Identifies the credential. */
  readonly owner: string;
  /** When the reader stops waiting, by the runner's clock. */
  readonly deadline: number;
}

/**
 * How many lists are read at the same time. The store has more connections, but those are needed to
 * move money. One owner gets half of these slots, so that it does not make others wait.
 */
const LISTS_AT_ONCE = 4;

/** Creates the function that lists operations, as recorded. */
function createLists(parts: Pick<Parts, 'store' | 'clock'>) {
  const { store, clock } = parts;
  const shares = createShares(LISTS_AT_ONCE);

  async function read(query: OperationQuery): Promise<readonly ListedOperation[]> {
    for (;;) {
      const listed = await store.listOfMerchant(query);
      let stale = false;
      for (const { operation, returned } of listed) {
        if (!returned) stale = (await markReturned(parts, operation)) || stale;
      }
      if (!stale) return listed;
    }
  }

  return async (query: OperationQuery, { owner, deadline }: Reader) => {
    const leave = await shares.enter(owner, (onPassed) =>
      clock.startLimit(deadline - clock.now(), onPassed),
    );
    if (leave === undefined) throw new StoreUnavailableError();
    try {
      return await read(query);
    } finally {
      leave();
    }
  };
}
