import { builder } from '../graphql/builder.ts';
import { connectionType, pagingArgs, resolvePage } from '../graphql/connection.ts';
import { implementNode, NodeRef } from '../graphql/node.ts';
import { readId } from '../graphql/node-id.ts';
import { semanticNonNull } from '../graphql/semantic-non-null.ts';
import {
  isObject,
  type RestRecord,
  readFlag,
  readInstantOrNull,
  readText,
  readTextOrNull,
} from '../rest/record.ts';
import type { Merchant } from './merchant-source.ts';

const CompanyRef = builder
  .objectRef<Omit<RestRecord<'country' | 'number'>, 'id'>>('Company')
  .implement({
    description: 'The company behind a merchant.',
    fields: (t) => ({
      country: t.string({
        nullable: true,
        description: 'ISO 3166 country code; null when unknown.',
        resolve: (company) => readTextOrNull(company, 'country'),
      }),
      number: t.string({
        nullable: true,
        description: 'Registration number; null when none was given.',
        resolve: (company) => readTextOrNull(company, 'number'),
      }),
    }),
  });

const BankRef = builder.objectRef<Omit<RestRecord<'iban'>, 'id'>>('Bank').implement({
  description: 'The bank account that a merchant is paid out to.',
  fields: (t) => ({
    iban: t.string({
      nullable: true,
      description: 'Account number in IBAN form; null when none was given.',
      resolve: (bank) => readTextOrNull(bank, 'iban'),
    }),
  }),
});

/** A merchant account: it holds transactions and a balance. */
export const MerchantRef = builder.objectRef<Merchant>('Merchant').implement({
  description:
    'A merchant account: it holds its transactions, and a balance in its funding currency.',
  interfaces: [NodeRef],
  fields: (t) => ({
    publicKey: t.string({
      nullable: true,
      description:
        'Public key, not secret: it names the merchant in payment links. Null when the service does not tell.',
      resolve: (merchant) => readTextOrNull(merchant, 'key'),
    }),
    name: t.string({
      nullable: true,
      description: 'What the merchant is called; null when it was given no name.',
      resolve: (merchant) => readTextOrNull(merchant, 'name'),
    }),
    fundingCurrency: t.field({
      type: 'CurrencyCode',
      description: 'Currency of the account: balances and fees are in it. Never changes.',
      resolve: (merchant, _args, { merchants }) =>
        merchants.read(merchant, (record) => readText(record, 'currency')),
    }),
    test: t.boolean({
      description: 'Whether this is a test account, which moves no real money. Never changes.',
      resolve: (merchant) => readFlag(merchant, 'test'),
    }),
    email: t.string({
      nullable: true,
      description: 'Contact address; null when none was given.',
      resolve: (merchant) => readTextOrNull(merchant, 'email'),
    }),
    website: t.string({
      nullable: true,
      description: 'Where the merchant sells; null when it was not given. Never changes.',
      resolve: (merchant) => readTextOrNull(merchant, 'website'),
    }),
    descriptor: t.string({
      nullable: true,
      description:
        "Text on customers' bank statements, unless a payment has its own; null when none was given.",
      resolve: (merchant) => readTextOrNull(merchant, 'descriptor'),
    }),
    company: t.field({
      type: CompanyRef,
      nullable: true,
      description: 'The company behind the merchant; null when unknown. Never changes.',
      resolve: ({ company }) => (isObject(company) ? company : null),
    }),
    bank: t.field({
      type: BankRef,
      nullable: true,
      description: 'Where money is paid out to; null when unknown. Never changes.',
      resolve: ({ bank }) => (isObject(bank) ? bank : null),
    }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the account was created; null when the service does not tell.',
      resolve: (merchant) => readInstantOrNull(merchant, 'created'),
    }),
  }),
});

implementNode(MerchantRef, 'mer', (id, { merchants }) => merchants.load(id));

const MerchantConnection = connectionType('Merchant', MerchantRef);

builder.queryFields((t) => ({
  merchant: t.field({
    type: MerchantRef,
    nullable: true,
    description: 'One merchant; null when there is none.',
    args: { id: t.arg.id({ required: true, description: "A node id, or the service's own id." }) },
    resolve: (_root, { id }, { merchants }) => merchants.load(readId('mer', id)),
  }),
  merchants: t.field({
    type: MerchantConnection,
    ...semanticNonNull,
    description: 'Merchants that the calling app has access to, newest first.',
    args: {
      ...pagingArgs(t.arg),
      test: t.arg.boolean({ description: '`true`: only test accounts; `false`: only live ones.' }),
    },
    resolve: (_root, args, { merchants, viewer }, info) =>
      resolvePage(args, info, {
        kind: 'mer',
        fetch: async (request) =>
          merchants.list((await viewer.load()).id, request, args.test ?? undefined),
      }),
  }),
}));
