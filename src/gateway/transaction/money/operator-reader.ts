import type { OperatorReader } from '../../operation/operator/operator.ts';
import { readInstantOrNull } from '../../rest/record.ts';
import { readTrail } from '../trail.ts';
import { isSuccessful, type TransactionSource } from '../transaction-source.ts';
import { findCreated } from './find-created.ts';
import { readTag } from './operation-tag.ts';
import { toSnapshotEntries } from './trail-snapshot.ts';

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
