import type { Context } from '../context.ts';
import { builder } from '../graphql/builder.ts';
import { connectionType, pagingArgs, resolvePage } from '../graphql/connection.ts';
import { MoneyRef } from '../graphql/money.ts';
import { implementNode, NodeRef } from '../graphql/node.ts';
import { readId } from '../graphql/node-id.ts';
import { semanticNonNull } from '../graphql/semantic-non-null.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import {
  isObject,
  readFlag,
  readInstant,
  readInteger,
  readText,
  readTextOrNull,
} from '../rest/record.ts';
import { PaymentCardRef } from './payment-card.ts';
import { ProcessingErrorRef, toProcessingError } from './processing-error.ts';
import { availableOf, readTrail, transactionMoney } from './trail.ts';
import { TrailEntryRef } from './trail-entry.ts';
import type { Movement, Transaction } from './transaction-source.ts';

/** Resolves a field that the specification promises; see `ById.read` for lists that show less. */
function promised<T>(convert: (record: Transaction) => T) {
  return (transaction: Transaction, _args: object, { transactions }: Context) =>
    transactions.read(transaction, convert);
}

type Counter = Extract<keyof Transaction, 'amount' | `${string}Amount`>;

function counter(field: Counter) {
  return promised((record) => transactionMoney(record, readInteger(record, field)));
}

const ThreeDSecureLevel = builder.enumType('ThreeDSecureLevel', {
  description: 'How far 3-D Secure went.',
  values: {
    ATTEMPT: { description: 'It was tried; the card or its bank does not take part.' },
    FULL: { description: 'The cardholder was authenticated.' },
  },
});

const TransactionAction = builder.enumType('TransactionAction', {
  description: 'A way to move the money of a transaction.',
  values: {
    CAPTURE: { description: 'Take reserved money: `Mutation.captureTransaction`.' },
    REFUND: { description: 'Give captured money back: `Mutation.refundTransaction`.' },
    VOID: { description: 'Let reserved money go: `Mutation.voidTransaction`.' },
  },
});

const AvailableActionRef = builder
  .objectRef<{
    action: typeof TransactionAction.$inferType;
    transaction: Transaction;
    maximum: number;
  }>('AvailableAction')
  .implement({
    description: 'Something that may still be done with a transaction.',
    fields: (t) => ({
      action: t.expose('action', { type: TransactionAction, description: 'What may be done.' }),
      maximum: t.field({
        type: MoneyRef,
        description: 'How much of it at most, in one step or several.',
        resolve: ({ transaction, maximum }) => transactionMoney(transaction, maximum),
      }),
    }),
  });

/** A reservation of money on a card, and what became of it. */
export const TransactionRef = builder.objectRef<Transaction>('Transaction').implement({
  description:
    'A reservation of an amount on a card, followed by captures, refunds and voids. It has no status: the amounts, `successful` and `trail` tell.',
  interfaces: [NodeRef],
  fields: (t) => ({
    merchant: t.field({
      type: MerchantRef,
      ...semanticNonNull,
      description: 'The merchant it belongs to.',
      resolve: async (transaction, _args, { transactions, merchants }) =>
        merchants.load(
          await transactions.read(transaction, (record) => readText(record, 'merchantId')),
        ),
    }),
    test: t.boolean({
      description: 'Whether it was made on a test account and moved no real money.',
      resolve: promised((record) => readFlag(record, 'test')),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When the amount was reserved, or declined.',
      resolve: promised((record) => readInstant(record, 'created')),
    }),
    amount: t.field({
      type: MoneyRef,
      description: 'What was asked for.',
      resolve: counter('amount'),
    }),
    pendingAmount: t.field({
      type: MoneyRef,
      description: 'Reserved, and available for capture or void.',
      resolve: counter('pendingAmount'),
    }),
    capturedAmount: t.field({
      type: MoneyRef,
      description: 'Captured. What may still be refunded stands in `availableActions`.',
      resolve: counter('capturedAmount'),
    }),
    refundedAmount: t.field({
      type: MoneyRef,
      description: 'Given back; nothing more can be done with it.',
      resolve: counter('refundedAmount'),
    }),
    voidedAmount: t.field({
      type: MoneyRef,
      description: 'Let go without capture; nothing more can be done with it.',
      resolve: counter('voidedAmount'),
    }),
    disputedAmount: t.field({
      type: MoneyRef,
      description: 'Involved in disputes, such as chargebacks.',
      resolve: counter('disputedAmount'),
    }),
    descriptor: t.string({
      nullable: true,
      description: "Text on the customer's bank statement; null when the service does not tell.",
      resolve: (transaction) => readTextOrNull(transaction, 'descriptor'),
    }),
    card: t.field({
      type: PaymentCardRef,
      nullable: true,
      description: 'The card it was paid with; null when the service does not tell.',
      resolve: ({ card }) => (isObject(card) ? card : null),
    }),
    custom: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Data the merchant attached; null when there is none.',
      resolve: ({ custom }) => custom ?? null,
    }),
    threeDSecure: t.field({
      type: ThreeDSecureLevel,
      nullable: true,
      description: 'How far 3-D Secure went; null when it was not applied.',
      resolve: ({ tds }) => (tds === 'full' ? 'FULL' : tds === 'attempt' ? 'ATTEMPT' : null),
    }),
    recurring: t.boolean({
      description: 'Whether it was made by a server from an earlier payment.',
      resolve: promised((record) => readFlag(record, 'recurring')),
    }),
    successful: t.boolean({
      description: 'Whether the amount was reserved. If not, `error` tells why.',
      resolve: promised((record) => readFlag(record, 'successful')),
    }),
    error: t.field({
      type: ProcessingErrorRef,
      nullable: true,
      description: 'Why it was declined; null when it was not.',
      resolve: ({ error }) => toProcessingError(error),
    }),
    trail: t.field({
      type: [TrailEntryRef],
      description: 'Captures, refunds, voids and disputes, oldest first.',
      resolve: promised(readTrail),
    }),
    availableActions: t.field({
      type: [AvailableActionRef],
      description:
        'What may still be done, and how much of it at most; empty when nothing is left to do.',
      resolve: promised((transaction) => {
        const available = availableOf(transaction);
        return (['capture', 'refund', 'void'] satisfies Movement[])
          .filter((movement) => available[movement] > 0)
          .map((movement) => ({
            action: movement.toUpperCase() as Uppercase<typeof movement>,
            transaction,
            maximum: available[movement],
          }));
      }),
    }),
  }),
});

implementNode(TransactionRef, 'txn', (id, { transactions }) => transactions.load(id));

const TransactionConnection = connectionType('Transaction', TransactionRef);

builder.queryField('transaction', (t) =>
  t.field({
    type: TransactionRef,
    nullable: true,
    description: 'One transaction; null when there is none.',
    args: { id: t.arg.id({ required: true, description: "A node id, or the service's own id." }) },
    resolve: (_root, { id }, { transactions }) => transactions.load(readId('txn', id)),
  }),
);

builder.objectField(MerchantRef, 'transactions', (t) =>
  t.field({
    type: TransactionConnection,
    ...semanticNonNull,
    description:
      'Newest first. What is new since a page: `last: 50, before: <its startCursor>`, one call.',
    args: {
      ...pagingArgs(t.arg),
      successful: t.arg.boolean({
        description: '`true`: only those that succeeded; `false`: only those that were declined.',
      }),
    },
    resolve: (merchant, args, { transactions }, info) =>
      resolvePage(args, info, {
        kind: 'txn',
        fetch: (request) => transactions.list(merchant.id, request, args.successful ?? undefined),
      }),
  }),
);
