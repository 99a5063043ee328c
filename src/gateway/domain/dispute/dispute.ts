import { builder } from '../../schema/builder.ts';
import { MoneyRef } from '../../schema/money.ts';
import { implementNode, NodeRef } from '../../schema/node.ts';
import { readId } from '../../schema/node-id.ts';
import { semanticNonNull } from '../../schema/semantic-non-null.ts';
import {
  isObject,
  mustExist,
  readInstant,
  readInstantOrNull,
  readIntegerOrNull,
  readString,
  readStringOrNull,
} from '../../upstream/record.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import { transactionMoney } from '../transaction/state.ts';
import { DisputeTrailEntry } from '../transaction/trail-entry.ts';
import { TransactionRef } from '../transaction/transaction.ts';
import { DisputeStatusRef, readStatus } from './dispute-filter.ts';
import type { Dispute } from './dispute-source.ts';

/** A cardholder's objection to a payment. */
export const DisputeRef = builder.objectRef<Dispute>('Dispute').implement({
  description: "A cardholder's objection to a payment, such as a chargeback.",
  interfaces: [NodeRef],
  fields: (t) => ({
    merchant: t.field({
      type: MerchantRef,
      ...semanticNonNull,
      description: 'The merchant that received the payment.',
      resolve: async (dispute, _args, { disputes, merchants }) => {
        const id = await disputes.read(dispute, (record) => readString(record, 'merchantId'));
        return mustExist('payments', merchants.load(id));
      },
    }),
    transaction: t.field({
      type: TransactionRef,
      ...semanticNonNull,
      description: 'The disputed transaction.',
      resolve: async (dispute, _args, { disputes, transactions }) => {
        const id = await disputes.read(dispute, (record) => readString(record, 'transactionId'));
        return mustExist('payments', transactions.load(id));
      },
    }),
    status: t.field({
      type: DisputeStatusRef,
      nullable: true,
      description:
        'Status of the dispute, derived from `Transaction.trail`. Null if the transaction does not exist.',
      resolve: (dispute, _args, context) => readStatus(dispute, context),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When the dispute was opened.',
      resolve: (dispute, _args, { disputes }) =>
        disputes.read(dispute, (record) => readInstant(record, 'created')),
    }),
    amount: t.field({
      type: MoneyRef,
      nullable: true,
      description:
        'Disputed amount, in the currency of the transaction. Null if not reported, or if the transaction does not exist.',
      resolve: async (dispute, _args, { disputes, transactions }) => {
        const minorUnits = readIntegerOrNull(dispute, 'amount');
        if (minorUnits === null) return null;
        const id = await disputes.read(dispute, (record) => readString(record, 'transactionId'));
        const transaction = await transactions.load(id);
        return transaction === null
          ? null
          : transactions.read(transaction, (record) => transactionMoney(record, minorUnits));
      },
    }),
    reasonCode: t.int({
      nullable: true,
      description: 'Reason code of the card scheme. Null if not reported.',
      resolve: ({ reason }) => (isObject(reason) ? readIntegerOrNull(reason, 'code') : null),
    }),
    reasonTitle: t.string({
      nullable: true,
      description: 'The reason as text. Null if not reported.',
      resolve: ({ reason }) => (isObject(reason) ? readStringOrNull(reason, 'title') : null),
    }),
    dueAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: "Deadline for the merchant's response. Null if not reported.",
      resolve: (dispute) => readInstantOrNull(dispute, 'due'),
    }),
  }),
});

implementNode(DisputeRef, 'dsp', (id, { disputes }) => disputes.load(id));

builder.queryField('dispute', (t) =>
  t.field({
    type: DisputeRef,
    nullable: true,
    description: 'A dispute by its id. Null if it does not exist.',
    args: { id: t.arg.id({ required: true, description: 'A node id or a `rawId`.' }) },
    resolve: (_root, { id }, { disputes }) => disputes.load(readId('dsp', id)),
  }),
);

builder.objectField(DisputeTrailEntry, 'dispute', (t) =>
  t.field({
    type: DisputeRef,
    nullable: true,
    description: 'The dispute. Null if not reported, or if it no longer exists.',
    resolve: ({ raw: { dispute } }, _args, { disputes }) => {
      const id = isObject(dispute) ? readStringOrNull(dispute, 'id') : null;
      return id === null ? null : disputes.load(id);
    },
  }),
);
