import type { Clock } from '../clock.ts';
import type { OperationStore } from './operation-store.ts';

/**
 * The store failed or did not respond in time. The requested change may have been made.
 */
export class StoreUnavailableError extends Error {
  constructor(cause?: unknown) {
    super('The store of money operations is not available.', { cause });
  }
}

const TIMEOUT_MS = 2_000;

/** A store whose every failure, and every response after 2 s, is a {@link StoreUnavailableError}. */
export function withStoreTimeout(store: OperationStore, clock: Clock): OperationStore {
  async function limit<T>(work: () => Promise<T>): Promise<T> {
    const done = async () => ({ value: await work() });
    const late = clock.timeout(TIMEOUT_MS).then(() => undefined);
    const result = await Promise.race([done(), late]).catch((error): never => {
      throw new StoreUnavailableError(error);
    });
    if (result === undefined) throw new StoreUnavailableError();
    return result.value;
  }

  return {
    find: (...args) => limit(() => store.find(...args)),
    claim: (...args) => limit(() => store.claim(...args)),
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
