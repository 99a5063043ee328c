import { createShares } from '../shares.ts';
import { isStale } from './is-stale.ts';
import type { Parts } from './parts.ts';
import type { ListedOperation, OperationQuery } from './store/operation-list.ts';
import { StoreUnavailableError } from './store/store-timeout.ts';

/** Who reads a list. */
export interface Reader {
  /** Identifies the credential. */
  readonly owner: string;
  /** When the reader stops waiting, by the runner's clock. */
  readonly deadline: number;
}

/**
 * Lists that are read at the same time. The store has more connections, and those who move money
 * need them; one owner gets half of these places, so that it does not make others wait.
 */
const PLACES = 4;

/** Creates what lists operations, as recorded. */
export function createLists(parts: Pick<Parts, 'store' | 'clock'>) {
  const { store, clock } = parts;
  const shares = createShares(PLACES);

  async function read(query: OperationQuery): Promise<readonly ListedOperation[]> {
    for (;;) {
      const listed = await store.listOfMerchant(query);
      let stale = false;
      for (const { operation, returned } of listed) {
        if (!returned) stale = (await isStale(parts, operation)) || stale;
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
