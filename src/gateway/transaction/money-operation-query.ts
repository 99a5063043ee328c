import type { Context } from '../context.ts';
import { builder } from '../graphql/builder.ts';
import { readId } from '../graphql/node-id.ts';
import { refuseKey } from '../operation/idempotency-key.ts';
import { type MoneyOperation, MoneyOperationRef } from '../operation/money-operation.ts';
import { RestError } from '../rest/rest-error.ts';
import { lookFor } from './look.ts';
import { TransactionRef } from './transaction.ts';

/**
 * Finds an operation for a caller who may read its merchant; anybody else finds nothing,
 * whatever the store knows.
 */
async function findOperation(
  merchant: string,
  key: string,
  { merchants, transactions, money }: Context,
): Promise<MoneyOperation | null> {
  const named = readId('mer', merchant, 'merchantId');
  const found = await merchants.fresh(named).catch((error) => {
    if (error instanceof RestError && error.status === 403) return null;
    throw error;
  });
  if (found === null || refuseKey(key) !== undefined) return null;
  const operation = await money.find(found.id, key, { look: lookFor(transactions) });
  return operation === undefined ? null : { operation, replayed: true };
}

builder.objectField(MoneyOperationRef, 'transaction', (t) =>
  t.field({
    type: TransactionRef,
    nullable: true,
    description:
      'The transaction that it acts on, or created, as it is now; null when it is not known which, or when it could not be read.',
    resolve: ({ operation }, _args, { transactions }) =>
      operation.transactionId === null ? null : transactions.load(operation.transactionId),
  }),
);

builder.queryField('moneyOperation', (t) =>
  t.field({
    type: MoneyOperationRef,
    nullable: true,
    description:
      'An operation by its idempotency key; looked at again when its outcome is unknown. Null when there is none, or when the merchant is not yours. Nothing is ever sent.',
    args: {
      merchantId: t.arg.id({ required: true, description: 'The merchant whose money it moves.' }),
      idempotencyKey: t.arg.string({
        required: true,
        description: 'The idempotency key that it was given.',
      }),
    },
    resolve: (_root, { merchantId, idempotencyKey }, context) =>
      findOperation(merchantId, idempotencyKey, context),
  }),
);
