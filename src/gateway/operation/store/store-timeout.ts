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
    const timeout = clock.timeout(TIMEOUT_MS).then((): never => {
      throw new StoreUnavailableError();
    });
    timeout.catch(() => {});
    try {
      return await Promise.race([work(), timeout]);
    } catch (error) {
      throw error instanceof StoreUnavailableError ? error : new StoreUnavailableError(error);
    }
  }

  return {
    find: (...args) => limit(() => store.find(...args)),
    claim: (...args) => limit(() => store.claim(...args)),
    startSending: (...args) => limit(() => store.startSending(...args)),
    repost: (...args) => limit(() => store.repost(...args)),
    record: (...args) => limit(() => store.record(...args)),
    countSucceeded: (...args) => limit(() => store.countSucceeded(...args)),
    claimedEntries: (...args) => limit(() => store.claimedEntries(...args)),
    sweep: (...args) => limit(() => store.sweep(...args)),
    listUnknown: (...args) => limit(() => store.listUnknown(...args)),
    list: (...args) => limit(() => store.list(...args)),
    history: (...args) => limit(() => store.history(...args)),
    settle: (...args) => limit(() => store.settle(...args)),
    close: () => store.close(),
  };
}
