import type { Clock } from '../clock.ts';
import type { OperationStore } from './operation-store.ts';

/** The store did not answer, or not in time. What was asked of it may have been done. */
export class StoreUnavailableError extends Error {
  constructor(cause?: unknown) {
    super('The store of money operations is not available.', { cause });
  }
}

const STORE_MS = 2_000;

/** A store that fails in time: every failure and every silence is a {@link StoreUnavailableError}. */
export function limitStore(store: OperationStore, clock: Clock): OperationStore {
  async function limited<T>(work: () => Promise<T>): Promise<T> {
    const silence = clock.sleep(STORE_MS).then((): never => {
      throw new StoreUnavailableError();
    });
    silence.catch(() => {});
    try {
      return await Promise.race([work(), silence]);
    } catch (error) {
      throw error instanceof StoreUnavailableError ? error : new StoreUnavailableError(error);
    }
  }

  return {
    find: (...args) => limited(() => store.find(...args)),
    claim: (...args) => limited(() => store.claim(...args)),
    startSending: (...args) => limited(() => store.startSending(...args)),
    repost: (...args) => limited(() => store.repost(...args)),
    record: (...args) => limited(() => store.record(...args)),
    countSucceeded: (...args) => limited(() => store.countSucceeded(...args)),
    claimedEntries: (...args) => limited(() => store.claimedEntries(...args)),
    sweep: (...args) => limited(() => store.sweep(...args)),
    undecided: (...args) => limited(() => store.undecided(...args)),
    list: (...args) => limited(() => store.list(...args)),
    history: (...args) => limited(() => store.history(...args)),
    decide: (...args) => limited(() => store.decide(...args)),
    close: () => store.close(),
  };
}
