import type { EffectFinder } from '../../operation/attempt.ts';
import type { Effect } from '../../operation/change.ts';
import { isMovement, type Movement, type OperationIn } from '../../operation/operation.ts';
import { badResponse } from '../../rest/rest-error.ts';
import type { TransactionSource } from '../transaction-source.ts';
import { checkAvailable } from './available-amount.ts';
import { findCreated } from './find-created.ts';
import { takeSnapshot } from './trail-snapshot.ts';

/** Finds the effects of operations at the payments service, with the credential of one caller. */
export function createEffectFinder(transactions: TransactionSource): EffectFinder {
  return {
    findEffect: (operation) =>
      isMovement(operation)
        ? readTrail(operation, transactions)
        : findCreated(operation, transactions),
  };
}

async function readTrail(
  { transactionId, kind, amount, response }: Movement & OperationIn<'UNKNOWN'>,
  transactions: TransactionSource,
): Promise<Effect> {
  const transaction = await transactions.fresh(transactionId);
  if (transaction === null) throw badResponse('payments', 'GET');
  transactions.forget(transactionId);
  const isRejected = response?.kind === 'REJECTED';
  const tooLarge = isRejected ? checkAvailable(transaction, kind, amount) : null;
  return { kind: 'TRAIL', now: takeSnapshot(transaction), tooLarge };
}
