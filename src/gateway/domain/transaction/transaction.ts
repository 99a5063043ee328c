import { movementKinds } from '../../money/engine/operation.ts';
import { builder } from '../../schema/builder.ts';
import type { Context } from '../../schema/context.ts';
import { MoneyRef } from '../../schema/money.ts';
import { implementNode, NodeRef } from '../../schema/node.ts';
import { readId } from '../../schema/node-id.ts';
import { semanticNonNull } from '../../schema/semantic-non-null.ts';
import {
  isObject,
  mustExist,
  readFlag,
  readInstant,
  readInteger,
  readJsonOrNull,
  readString,
  readStringOrNull,
} from '../../upstream/record.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import { PaymentCardRef } from './payment-card.ts';
import { ProcessingErrorRef, toProcessingError } from './processing-error.ts';
import { availableOf, stateOf, transactionMoney } from './state.ts';
import { readTrail } from './trail.ts';
import { TrailEntryRef } from './trail-entry.ts';
import { TransactionActionRef, TransactionStateRef } from './transaction-enums.ts';
import { isSuccessful, type Transaction } from './transaction-source.ts';

/**
 * Resolves a field that the specification promises, even if the list item lacks it (see
 * `ById.read`).
 */
function promised<T>(convert: (record: Transaction) => T) {
  return (transaction: Transaction, _args: object, { transactions }: Context) =>
    transactions.read(transaction, convert);
}

type Counter = Extract<keyof Transaction, 'amount' | `${string}Amount`>;

function counter(field: Counter) {
  return promised((record) => transactionMoney(record, readInteger(record, field)));
}

const ThreeDSecureLevel = builder.enumType('ThreeDSecureLevel', {
  description: 'The 3-D Secure level of a transaction.',
  values: {
    ATTEMPT: {
      description: 'Authentication was attempted, but the card or its bank does not take part.',
    },
    FULL: { description: 'The cardholder was authenticated.' },
  },
});

const AvailableActionRef = builder
  .objectRef<{
    action: typeof TransactionActionRef.$inferType;
    transaction: Transaction;
    maximum: number;
  }>('AvailableAction')
  .implement({
    description: 'An action that is still possible on a transaction.',
    fields: (t) => ({
      action: t.expose('action', { type: TransactionActionRef, description: 'The action.' }),
      maximum: t.field({
        type: MoneyRef,
        description:
          'The amount that is still available for this action. You can use it in one request or in several.',
        resolve: ({ transaction, maximum }) => transactionMoney(transaction, maximum),
      }),
    }),
  });

/** A card payment: a reservation, with its captures, refunds and voids, or a decline. */
export const TransactionRef = builder.objectRef<Transaction>('Transaction').implement({
  description:
    'The record of a card payment. A successful payment reserves the amount. Captures, refunds and voids can follow. `state` summarizes them.',
  interfaces: [NodeRef],
  fields: (t) => ({
    state: t.field({
      type: TransactionStateRef,
      description: 'The state of the transaction, derived from its amounts and its trail.',
      resolve: promised(stateOf),
    }),
    merchant: t.field({
      type: MerchantRef,
      ...semanticNonNull,
      description: 'The merchant of the transaction.',
      resolve: async (transaction, _args, { transactions, merchants }) => {
        const id = await transactions.read(transaction, (record) =>
          readString(record, 'merchantId'),
        );
        return mustExist('payments', merchants.load(id));
      },
    }),
    test: t.boolean({
      description: 'Whether the transaction belongs to a test merchant, which moves no real money.',
      resolve: promised((record) => readFlag(record, 'test')),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When the amount was reserved, or the payment was declined.',
      resolve: promised((record) => readInstant(record, 'created')),
    }),
    statementDescriptor: t.string({
      nullable: true,
      description: "Text on the customer's bank statement. Null if not reported.",
      resolve: (transaction) => readStringOrNull(transaction, 'descriptor'),
    }),
    descriptor: t.string({
      nullable: true,
      deprecationReason: 'Use `statementDescriptor`.',
      description: 'The same as `statementDescriptor`.',
      resolve: (transaction) => readStringOrNull(transaction, 'descriptor'),
    }),
    card: t.field({
      type: PaymentCardRef,
      nullable: true,
      description: 'The card that was used. Null if not reported.',
      resolve: ({ card }) => (isObject(card) ? card : null),
    }),
    custom: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Data that the merchant attached. Null if there is none.',
      resolve: (transaction) => readJsonOrNull(transaction, 'custom'),
    }),
    threeDSecure: t.field({
      type: ThreeDSecureLevel,
      nullable: true,
      description: 'The 3-D Secure level. Null if 3-D Secure was not applied.',
      resolve: ({ tds }) => (tds === 'full' ? 'FULL' : tds === 'attempt' ? 'ATTEMPT' : null),
    }),
    recurring: t.boolean({
      description:
        'Whether the transaction was created from an earlier one or from a saved card, without the customer present.',
      resolve: promised((record) => readFlag(record, 'recurring')),
    }),
    successful: t.boolean({
      description: 'Whether the amount was reserved. If not, `error` contains the reason.',
      resolve: promised(isSuccessful),
    }),
    error: t.field({
      type: ProcessingErrorRef,
      nullable: true,
      description: 'Why the payment was declined. Null if it was not declined.',
      resolve: ({ error }) => toProcessingError(error),
    }),
  }),
});

builder.objectFields(TransactionRef, (t) => ({
  amount: t.field({
    type: MoneyRef,
    description: 'The requested amount.',
    resolve: counter('amount'),
  }),
  pendingAmount: t.field({
    type: MoneyRef,
    description: 'Amount still available for capture or void.',
    resolve: counter('pendingAmount'),
  }),
  capturedAmount: t.field({
    type: MoneyRef,
    description:
      'Amount captured. Whether a refund reduces it is not specified: use `availableActions` to see how much can still be refunded.',
    resolve: counter('capturedAmount'),
  }),
  refundedAmount: t.field({
    type: MoneyRef,
    description: 'Amount refunded. No further action is possible on it.',
    resolve: counter('refundedAmount'),
  }),
  voidedAmount: t.field({
    type: MoneyRef,
    description: 'Amount released without capture. No further action is possible on it.',
    resolve: counter('voidedAmount'),
  }),
  disputedAmount: t.field({
    type: MoneyRef,
    description:
      'Amount involved in disputes, such as chargebacks, as reported by the payments service. It can include disputes that have ended.',
    resolve: counter('disputedAmount'),
  }),
}));

builder.objectFields(TransactionRef, (t) => ({
  trail: t.field({
    type: [TrailEntryRef],
    description:
      'The history of the transaction, oldest first: captures, refunds, voids, disputes, and entries of unknown kinds.',
    resolve: promised(readTrail),
  }),
  availableActions: t.field({
    type: [AvailableActionRef],
    description:
      'The actions that are still possible, each with its largest amount. Empty if no action is possible.',
    resolve: promised((transaction) => {
      const available = availableOf(transaction);
      return movementKinds
        .filter((kind) => available[kind] > 0)
        .map((kind) => ({ action: kind, transaction, maximum: available[kind] }));
    }),
  }),
}));

implementNode(TransactionRef, 'txn', (id, { transactions }) => transactions.load(id));

builder.queryField('transaction', (t) =>
  t.field({
    type: TransactionRef,
    nullable: true,
    description: 'A transaction by its id. Null if it does not exist.',
    args: { id: t.arg.id({ required: true, description: 'A node id or a `rawId`.' }) },
    resolve: (_root, { id }, { transactions }) => transactions.load(readId('txn', id)),
  }),
);
