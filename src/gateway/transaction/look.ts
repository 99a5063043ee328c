import type { Finding } from '../operation/machine.ts';
import type { Operation } from '../operation/operation.ts';
import { RestError } from '../rest/rest-error.ts';
import { findCreated } from './created.ts';
import { findEntries } from './picture.ts';
import type { TransactionSource } from './transaction-source.ts';

/** Looks for the effect of any operation at the service; throws when it cannot be read. */
export function lookFor(transactions: TransactionSource) {
  return async (operation: Operation): Promise<Finding> => {
    if (operation.lane === null) return findCreated(operation, transactions);
    const now = await transactions.fresh(operation.lane);
    if (now === null) throw new RestError('payments', 'GET', 'bad-response');
    transactions.forget(operation.lane);
    return findEntries(operation, now);
  };
}
