import type { Context } from '../../context.ts';
import type { ReportedOperation } from '../../money-operation/money-operation.ts';

/** Resolves the transaction that an operation acts on or created; null if it is not known. */
export function operationTransaction(
  { operation: { transactionId } }: Pick<ReportedOperation, 'operation'>,
  _args: object,
  { transactions }: Context,
) {
  return transactionId === null ? null : transactions.loadForMoney(transactionId);
}
