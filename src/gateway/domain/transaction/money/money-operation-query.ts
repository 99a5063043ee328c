import { checkKey } from '../../../money/engine/idempotency-key.ts';
import type { Operation } from '../../../money/engine/operation.ts';
import { builder } from '../../../schema/builder.ts';
import type { Context } from '../../../schema/context.ts';
import { implementNode } from '../../../schema/node.ts';
import { readId } from '../../../schema/node-id.ts';
import { RestError } from '../../../upstream/rest-error.ts';
import { MerchantRef } from '../../merchant/merchant.ts';
import { MoneyOperationRef } from '../../money-operation/money-operation.ts';
import { TransactionRef } from '../transaction.ts';
import { createEffectFinder } from './find-effect.ts';
import { allStates, listRecorded } from './operation-list.ts';
import { operationTransaction } from './outcome-unknown.ts';

/** Finds an operation for a caller who can read its merchant; null for other callers. */
async function findOperation(
  merchant: string,
  key: string,
  { merchants, transactions, money }: Context,
): Promise<Operation | null> {
  const rawId = readId('mer', merchant, 'merchantId');
  const found = await merchants.readForMoney(rawId).catch((error) => {
    if (error instanceof RestError && error.status === 403) return null;
    throw error;
  });
  if (found === null || checkKey(key) !== undefined) return null;
  return (await money.find(found.id, key, createEffectFinder(transactions))) ?? null;
}

builder.objectField(MoneyOperationRef, 'merchant', (t) =>
  t.field({
    type: MerchantRef,
    nullable: true,
    description: 'The merchant. Null if it could not be read.',
    resolve: ({ merchantId }, _args, { merchants }) => merchants.load(merchantId),
  }),
);

builder.objectField(MoneyOperationRef, 'transaction', (t) =>
  t.field({
    type: TransactionRef,
    nullable: true,
    description:
      'The transaction that the operation changes or creates, in its current state. Null if the gateway does not know it or could not read it.',
    resolve: (operation, args, context) => operationTransaction({ operation }, args, context),
  }),
);

builder.queryField('moneyOperation', (t) =>
  t.field({
    type: MoneyOperationRef,
    nullable: true,
    description:
      'A money operation by its merchant and idempotency key. If its status is `UNKNOWN`, the gateway first checks the payments service for the outcome, unless `advice` is `CONTACT_OPERATOR`. This query never moves money. Null in three cases: the gateway has recorded no operation with this key; the service responded with 401, 403 or 429 and shows no effect of the operation, so that you can repeat the mutation with this key; or the calling app has no access to the merchant.',
    args: {
      merchantId: t.arg.id({
        required: true,
        description: 'The merchant: a node id or a `rawId`.',
      }),
      idempotencyKey: t.arg.string({
        required: true,
        description: 'The idempotency key of the money operation.',
      }),
    },
    resolve: (_root, { merchantId, idempotencyKey }, context) =>
      findOperation(merchantId, idempotencyKey, context),
  }),
);

const ID = /^([A-Za-z0-9_-]{1,128})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The kind of node that operations are. */
export const KIND = 'mop';

/** The id contains the merchant's, so that access is checked before the record is read. */
export function toNodeKey({ merchantId, id }: Pick<Operation, 'merchantId' | 'id'>): string {
  return `${merchantId}.${id}`;
}

/** Loads an operation as it was last recorded; null for callers who cannot read its merchant. */
export async function loadOperation(nodeKey: string, context: Context): Promise<Operation | null> {
  const [, merchantId = '', id = ''] = ID.exec(nodeKey) ?? [];
  const query = { merchantId, id, states: allStates, backward: false, limit: 1 };
  const listed = await listRecorded(query, context).catch((error) => {
    // The same as if it did not exist.
    if (error instanceof RestError && error.status === 403) return [];
    throw error;
  });
  return listed[0]?.operation ?? null;
}

implementNode(MoneyOperationRef, KIND, loadOperation, {
  toId: toNodeKey,
  idPattern: ID,
  isOwn: true,
});
