import { type StartLimit, within } from '../../../within.ts';
import type { Clock } from '../clock.ts';
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

/** How long the store took for one thing, in milliseconds, and whether it failed. */
export interface StoreUse {
  readonly ms: number;
  readonly failed: boolean;
}

/** Who wants to know how the store works. */
export interface StoreWatch {
  /** Called with messages for the operator, when it fails and when it works again. */
  report?(message: string): void;
  /** Called when it has responded, or was too late. */
  onStoreUse?(use: StoreUse): void;
}

const TIMEOUT_MS = 2_000;
const NOT_AVAILABLE =
  'The store of money operations does not respond. Captures, refunds, voids and new transactions fail until it does.';
const AVAILABLE = 'The store of money operations responds again.';

/**
 * A store whose every failure, and every response after 2 s, is a {@link StoreUnavailableError}.
 * After one, a claim waits for a read that succeeds, because a claim that fails has to be withdrawn.
 */
export function withStoreTimeout(
  store: OperationStore,
  clock: Clock,
  { report, onStoreUse }: StoreWatch = {},
): OperationStore {
  let isAvailable = true;
  function note(start: number, works: boolean): void {
    if (works !== isAvailable) report?.(works ? AVAILABLE : NOT_AVAILABLE);
    isAvailable = works;
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

  return {
    find: (...args) => limit(() => store.find(...args)),
    claim: async (intent, id) => {
      if (!isAvailable) await limit(() => store.find(intent.merchantId, intent.key));
      return limit(() => store.claim(intent, id));
    },
    retake: (...args) => limit(() => store.retake(...args)),
    startSending: (...args) => limit(() => store.startSending(...args)),
    repost: (...args) => limit(() => store.repost(...args)),
    record: (...args) => limit(() => store.record(...args)),
    knownEntries: (...args) => limit(() => store.knownEntries(...args)),
    listSucceeded: (...args) => limit(() => store.listSucceeded(...args)),
    markReturned: (...args) => limit(() => store.markReturned(...args)),
    sweep: (...args) => limit(() => store.sweep(...args)),
    listUnknown: (...args) => limit(() => store.listUnknown(...args)),
    list: (...args) => limit(() => store.list(...args)),
    listOfMerchant: (...args) => limit(() => store.listOfMerchant(...args)),
    history: (...args) => limit(() => store.history(...args)),
    settle: (...args) => limit(() => store.settle(...args)),
    close: () => store.close(),
  };
}

async function settled(work: Promise<unknown>): Promise<void> {
  await Promise.allSettled([work]);
}
