import { moneyTransitions } from './channels.ts';
import type { Operation } from './operation/operation.ts';
import type { OperationStore } from './operation/store/operation-store.ts';

type Changed = Pick<Operation, 'kind' | 'state'>;

/** The store of money operations. It publishes each state that this process gives an operation. */
export function publishTransitions(store: OperationStore): OperationStore {
  function publish(from: Operation['state'] | undefined, changed: Changed | undefined): void {
    if (changed === undefined || !moneyTransitions.hasSubscribers) return;
    if (changed.state !== from) {
      moneyTransitions.publish({ kind: changed.kind, from, to: changed.state });
    }
  }
  return {
    ...store,
    claim: async (...args) => {
      const claim = await store.claim(...args);
      if (claim.kind === 'CLAIMED') publish(undefined, claim.operation);
      return claim;
    },
    startSending: async (operation, snapshot) => {
      const sending = await store.startSending(operation, snapshot);
      publish('PREPARED', sending);
      return sending;
    },
    retake: async (operation) => {
      const retaken = await store.retake(operation);
      if (retaken.kind === 'TAKEN') publish('RELEASED', retaken.operation);
      return retaken;
    },
    repost: async (operation, posts) => {
      const sending = await store.repost(operation, posts);
      publish('UNKNOWN', sending);
      return sending;
    },
    record: async (operation, change) => {
      const recorded = await store.record(operation, change);
      // The caller knows only who holds it; a change that was overtaken shows the state of the other.
      if (recorded?.state === change.to) publish(undefined, recorded);
      return recorded;
    },
  };
}
