/** The product's own stack without anything else: Yoga, Pothos and DataLoader. */
import { createServer } from 'node:http';
import SchemaBuilder from '@pothos/core';
import DataLoader from 'dataloader';
import { createYoga } from 'graphql-yoga';
import { announce } from '../services/announce.ts';
import { capture } from './capture.ts';
import type { Line, Merchant, Transaction } from './records.ts';
import { get } from './upstream-client.ts';

interface Context {
  readonly authorization: string;
  readonly merchants: DataLoader<string, Merchant>;
  readonly transactions: DataLoader<string, Transaction>;
}

function createContext(authorization: string): Context {
  const loader = <T>(collection: string) =>
    new DataLoader<string, T>((ids) =>
      Promise.all(ids.map((id) => get<T>(`/${collection}/${id}`, authorization))),
    );
  return {
    authorization,
    merchants: loader<Merchant>('merchants'),
    transactions: loader<Transaction>('transactions'),
  };
}

const builder = new SchemaBuilder<{ Context: Context; DefaultFieldNullability: true }>({});

const CardRef = builder.objectRef<Transaction['card']>('Card').implement({
  fields: (t) => ({ last4: t.exposeString('last4') }),
});
const MerchantRef = builder.objectRef<Merchant>('Merchant');
const TransactionRef = builder.objectRef<Transaction>('Transaction');
TransactionRef.implement({
  fields: (t) => ({
    id: t.exposeID('id', { nullable: false }),
    amount: t.exposeInt('amount', { nullable: false }),
    currency: t.exposeString('currency', { nullable: false }),
    capturedAmount: t.exposeInt('capturedAmount'),
    card: t.field({ type: CardRef, resolve: ({ card }) => card }),
    merchant: t.field({
      type: MerchantRef,
      resolve: ({ merchantId }, _args, { merchants }) => merchants.load(merchantId),
    }),
  }),
});
const LineRef = builder.objectRef<Line>('Line').implement({
  fields: (t) => ({
    id: t.exposeID('id', { nullable: false }),
    transaction: t.field({
      type: TransactionRef,
      resolve: (line, _args, { transactions }) => transactions.load(line.transactionId),
    }),
    merchant: t.field({
      type: MerchantRef,
      resolve: (line, _args, { merchants }) => merchants.load(line.merchantId),
    }),
  }),
});
MerchantRef.implement({
  fields: (t) => ({
    id: t.exposeID('id', { nullable: false }),
    name: t.exposeString('name'),
    transactions: t.field({
      type: [TransactionRef],
      nullable: false,
      args: { first: t.arg.int({ required: true }) },
      resolve: ({ id }, { first }, { authorization }) =>
        get<Transaction[]>(`/merchants/${id}/transactions?limit=${first}`, authorization),
    }),
    lines: t.field({
      type: [LineRef],
      nullable: false,
      args: { first: t.arg.int({ required: true }) },
      resolve: ({ id }, { first }, { authorization }) =>
        get<Line[]>(`/merchants/${id}/lines?limit=${first}`, authorization),
    }),
  }),
});
builder.queryType({
  fields: (t) => ({
    merchant: t.field({
      type: MerchantRef,
      args: { id: t.arg.id({ required: true }) },
      resolve: (_root, { id }, { merchants }) => merchants.load(String(id)),
    }),
  }),
});
builder.mutationType({
  fields: (t) => ({
    captureTransaction: t.field({
      type: TransactionRef,
      args: {
        id: t.arg.id({ required: true }),
        amount: t.arg.int({ required: true }),
        currency: t.arg.string({ required: true }),
        key: t.arg.string({ required: true }),
      },
      resolve: (_root, { id, ...request }, { authorization }) =>
        capture({ id: String(id), ...request }, authorization),
    }),
  }),
});

const yoga = createYoga({
  schema: builder.toSchema(),
  logging: false,
  graphiql: false,
  context: ({ request }) => createContext(request.headers.get('authorization') ?? ''),
});
announce(createServer(yoga));
