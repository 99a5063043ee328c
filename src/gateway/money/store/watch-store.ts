import { type StartLimit, within } from '../../../within.ts';
import type { Clock } from '../engine/clock.ts';
import type { Operation, OperationKind, OperationState } from '../engine/operation.ts';
import type { OperationStore } from './operation-store.ts';

/**
 * The store failed or did not respond in time. The requested change may have been made.
 */
export class StoreUnavailableError extends Error {
  /** Resolves when the store has responded after all, or has failed. */
  readonly ended: Promise<void>;

  constructor(cause?: unknown, ended: Promise<void> = Promise.resolve()) {
    super('The store of money operations is not available.', { cause });
    this.ended = ended;
  }
}

/** How long the store took to respond once, in milliseconds, and whether it failed. */
export interface StoreUse {
  readonly ms: number;
  readonly failed: boolean;
}

/** A change of an operation's state that this process made. */
export interface StoredTransition {
  readonly kind: OperationKind;
  /** Undefined for a new operation, and if the caller does not know it. */
  readonly from: OperationState | undefined;
  readonly to: OperationState;
}

/** Callbacks about whether the store works, and about what is recorded. */
export interface StoreWatch {
  /** Called with messages for the operator, when the store fails and when it works again. */
  report?(message: string): void;
  /** Called when the store has responded, or was too late. */
  onStoreUse?(use: StoreUse): void;
  /** Called when a change of an operation was recorded. */
  onRecord?(): void;
  onTransition?(transition: StoredTransition): void;
}

const TIMEOUT_MS = 2_000;
const NOT_AVAILABLE =
  'The store of money operations does not respond. Captures, refunds, voids and new transactions fail until it does.';
const AVAILABLE = 'The store of money operations responds again.';

/**
 * Wraps a store so that every failure, and every response after 2 s, is a
 * {@link StoreUnavailableError}. Reports what is recorded. After a failure, a claim first needs a
 * read that succeeds, because a claim that fails must be withdrawn.
 */
export function watchStore(
  store: OperationStore,
  clock: Clock,
  watch: StoreWatch = {},
): OperationStore {
  const { state, limit } = createLimit(clock, watch);
  const limited =
    <Args extends readonly unknown[], T>(method: (...args: Args) => Promise<T>) =>
    (...args: Args) =>
      limit(() => method(...args));

  function noteState(from: OperationState | undefined, changed: Operation | undefined): void {
    if (changed === undefined || changed.state === from) return;
    watch.onTransition?.({ kind: changed.kind, from, to: changed.state });
  }

  const noting =
    <Args extends readonly unknown[], T extends Operation | undefined>(
      from: OperationState,
      method: (...args: Args) => Promise<T>,
    ) =>
    async (...args: Args) => {
      const changed = await method(...args);
      noteState(from, changed);
      return changed;
    };

  return {
    find: limited(store.find),
    claim: async (intent, id) => {
      if (!state.isAvailable) await limit(() => store.find(intent.merchantId, intent.key));
      return limit(async () => {
        const claim = await store.claim(intent, id);
        if (claim.kind === 'CLAIMED') noteState(undefined, claim.operation);
        return claim;
      });
    },
    retake: limited(async (operation) => {
      const retaken = await store.retake(operation);
      if (retaken.kind === 'TAKEN') noteState('RELEASED', retaken.operation);
      return retaken;
    }),
    startSending: limited(noting('PREPARED', store.startSending)),
    repost: limited(noting('UNKNOWN', store.repost)),
    record: limited(async (operation, change) => {
      const recorded = await store.record(operation, change);
      watch.onRecord?.();
      // The caller does not know the previous state. If the change was overtaken, the state is that
      // of the other change.
      if (recorded?.state === change.to) noteState(undefined, recorded);
      return recorded;
    }),
    knownEntries: limited(store.knownEntries),
    listSucceeded: limited(store.listSucceeded),
    markReturned: limited(store.markReturned),
    sweep: limited(store.sweep),
    listUnknown: limited(store.listUnknown),
    list: limited(store.list),
    listOfMerchant: limited(store.listOfMerchant),
    history: limited(store.history),
    settle: limited(store.settle),
    close: store.close,
  };
}

/** Limits the time of each use of the store, and notes whether the store works. */
function createLimit(clock: Clock, { report, onStoreUse }: StoreWatch) {
  const state = { isAvailable: true };
  function note(start: number, works: boolean): void {
    if (works !== state.isAvailable) report?.(works ? AVAILABLE : NOT_AVAILABLE);
    state.isAvailable = works;
    onStoreUse?.({ ms: clock.now() - start, failed: !works });
  }

  async function limit<T>(work: () => Promise<T>): Promise<T> {
    const start = clock.now();
    const done = (async () => ({ value: await work() }))();
    const limit: StartLimit = (onPassed) => clock.startLimit(TIMEOUT_MS, onPassed);
    const result = await within(done, limit, () => undefined).catch((error): never => {
      note(start, false);
      throw new StoreUnavailableError(error);
    });
    note(start, result !== undefined);
    if (result === undefined) throw new StoreUnavailableError(undefined, settled(done));
    return result.value;
  }

  return { state, limit };
}

async function settled(work: Promise<unknown>): Promise<void> {
  await Promise.allSettled([work]);
}
