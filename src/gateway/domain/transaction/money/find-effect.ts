import type { EffectFinder } from '../../../money/attempt.ts';
import type { OperatorReader } from '../../../money/commands/operator.ts';
import type { Effect } from '../../../money/engine/change.ts';
import { isMovement, type Movement, type OperationIn } from '../../../money/engine/operation.ts';
import { readInstantOrNull } from '../../../upstream/record.ts';
import { badResponse, RestError } from '../../../upstream/rest-error.ts';
import { readTrail } from '../trail.ts';
import { isSuccessful, type TransactionSource } from '../transaction-source.ts';
import { findCreated, readTag } from './find-created.ts';
import { checkAvailable, takeSnapshot, toSnapshotEntries } from './trail-snapshot.ts';

/** Finds the effects of operations in the payments service, with one caller's credential. */
export function createEffectFinder(transactions: TransactionSource): EffectFinder {
  return {
    findEffect: (operation) =>
      isMovement(operation)
        ? readMovement(operation, transactions)
        : findCreated(operation, transactions),
  };
}

async function readMovement(
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

/** Wraps effect finders to report, once, that the service does not accept their key. */
export function createKeyReporter(report: (message: string) => void) {
  let isReported = false;
  return (finder: EffectFinder): EffectFinder => ({
    findEffect: async (operation) => {
      try {
        return await finder.findEffect(operation);
      } catch (error) {
        if (error instanceof RestError && error.status === 401 && !isReported) {
          isReported = true;
          report(
            'MONEY_RECONCILE_API_KEY: the payments service does not accept this key, so unknown money operations are not reconciled in the background',
          );
        }
        throw error;
      }
    },
  });
}

/** Reads the payments service for the operator, with the credential of the source. */
export function createOperatorReader(transactions: TransactionSource): OperatorReader {
  return {
    readTrail: async (transactionId) => {
      const transaction = await transactions.fresh(transactionId);
      if (transaction === null) return null;
      const raw = readTrail(transaction);
      return toSnapshotEntries(transaction).map((entry, index) => ({
        entry,
        createdAt: readInstantOrNull(raw[index]?.raw ?? {}, 'created'),
      }));
    },
    readTransaction: async (transactionId) => {
      const transaction = await transactions.fresh(transactionId);
      return transaction === null
        ? null
        : { createdBy: readTag(transaction), isSuccessful: isSuccessful(transaction) };
    },
    findCreated: (operation) => findCreated(operation, transactions),
  };
}
