import type { Epochs } from './epochs.ts';
import type { OperationStore } from './operation/store/operation-store.ts';

/**
 * The store of money operations. When a change of an operation is recorded, a new epoch begins
 * for everybody: queries show operations as the store has them, and it is not known which
 * credential's queries may have begun before.
 */
export function raiseOnOutcome(
  store: OperationStore,
  epochs: Pick<Epochs, 'raiseAll'>,
): OperationStore {
  return {
    ...store,
    record: async (operation, change) => {
      const recorded = await store.record(operation, change);
      epochs.raiseAll();
      return recorded;
    },
  };
}
