import type { Context } from '../../context.ts';
import { builder } from '../../graphql/builder.ts';
import { readId } from '../../graphql/node-id.ts';
import { checkKey } from '../../operation/idempotency-key.ts';
import { type MoneyOperation, MoneyOperationRef } from '../../operation/money-operation.ts';
import { RestError } from '../../rest/rest-error.ts';
import { TransactionRef } from '../transaction.ts';
import { createEffectFinder } from './find-effect.ts';
import { operationTransaction } from './operation-transaction.ts';

/** Finds an operation for a caller who can read its merchant; null for every other caller. */
async function findOperation(
  merchant: string,
  key: string,
  { merchants, transactions, money }: Context,
): Promise<MoneyOperation | null> {
  const rawId = readId('mer', merchant, 'merchantId');
  const found = await merchants.fresh(rawId).catch((error) => {
    if (error instanceof RestError && error.status === 403) return null;
    throw error;
  });
  if (found === null || checkKey(key) !== undefined) return null;
  const operation = await money.find(found.id, key, createEffectFinder(transactions));
  return operation === undefined ? null : { operation, replayed: true };
}

builder.objectField(MoneyOperationRef, 'transaction', (t) =>
  t.field({
    type: TransactionRef,
    nullable: true,
    description:
      'The transaction that it acts on or created, in its current state. Null if it is not known which one it is, or if it could not be read.',
    resolve: operationTransaction,
  }),
);

builder.queryField('moneyOperation', (t) =>
  t.field({
    type: MoneyOperationRef,
    nullable: true,
    description:
      'An operation by its idempotency key. If its outcome is unknown, the transaction is read again; nothing is ever sent. Null if there is no such operation or you have no access to the merchant.',
    args: {
      merchantId: t.arg.id({ required: true, description: 'The merchant whose money it moves.' }),
      idempotencyKey: t.arg.string({
        required: true,
        description: 'The idempotency key of the operation.',
      }),
    },
    resolve: (_root, { merchantId, idempotencyKey }, context) =>
      findOperation(merchantId, idempotencyKey, context),
  }),
);
