import type { Epochs } from './epochs.ts';
import type { OperationStore } from './operation/store/operation-store.ts';

/**
 * The store of money operations. When a read has shown the outcome of an operation, a new epoch
 * begins for everybody: it is not known which credential's reads may have begun before the effect.
 */
export function raiseOnOutcome(store: OperationStore, epochs: Epochs): OperationStore {
  return {
    ...store,
    record: async (operation, change) => {
      const recorded = await store.record(operation, change);
      // After a response, the write itself has raised the epoch of its credential.
      if ('evidence' in change && change.evidence !== 'ANSWERED') epochs.raiseAll();
      return recorded;
    },
  };
}
