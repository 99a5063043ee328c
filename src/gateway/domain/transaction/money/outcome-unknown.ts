import { builder } from '../../../schema/builder.ts';
import type { Context } from '../../../schema/context.ts';
import { MutationErrorRef } from '../../../schema/mutation-error.ts';
import { operationFields, type ReportedOperation } from '../../money-operation/money-operation.ts';
import type { OutcomeUnknown } from '../../money-operation/operation-result.ts';
import { TransactionRef } from '../transaction.ts';

/** Sentence for the description of every result that contains the type. */
export const OUTCOME_UNKNOWN_NOTE =
  '`OutcomeUnknownError` does not mean that nothing happened: the operation may have been applied. See `operation.status`.';

/** The error for an unknown outcome. */
export const OutcomeUnknownRef = builder
  .objectRef<OutcomeUnknown>('OutcomeUnknownError')
  .implement({
    description:
      'The gateway does not know whether the service applied the operation. Follow `operation.advice`, and repeat the request only with the same idempotency key. If `operation.status` is `NOT_APPLIED`, the operation ended without being applied: `operation.evidence` says whether this is proven, presumed by the gateway, or recorded by the operator. To try again, use a new key.',
    interfaces: [MutationErrorRef],
    fields: (t) => ({
      transaction: t.field({
        type: TransactionRef,
        nullable: true,
        description:
          'The transaction that the operation changes or creates, in its current state. Null if the gateway does not know it or could not read it.',
        resolve: operationTransaction,
      }),
    }),
  });

operationFields(OutcomeUnknownRef);

/** Resolves the transaction that an operation acts on or created; null if it is not known. */
export function operationTransaction(
  { operation: { transactionId } }: Pick<ReportedOperation, 'operation'>,
  _args: object,
  { transactions }: Context,
) {
  return transactionId === null ? null : transactions.loadForMoney(transactionId);
}
