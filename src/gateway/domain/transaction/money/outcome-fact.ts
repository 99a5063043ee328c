import type { Fact } from '../../../events/fact.ts';
import type { LateOutcome } from '../../../money/store/shown.ts';
import { KIND, toNodeKey } from './money-operation-query.ts';

/** What an event tells of a money operation whose outcome was unknown for a while. */
export function toOutcomeFact({ transactionId, resolved, ...operation }: LateOutcome): Fact {
  return {
    kind: 'MONEY_OPERATION_RESOLVED',
    subject: operation.id,
    happened: resolved,
    transaction: transactionId,
    item: { kind: KIND, id: toNodeKey(operation) },
    entry: null,
  };
}
