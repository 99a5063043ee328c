import { builder } from '../../schema/builder.ts';
import { connectionType, pagingArgs, resolvePage } from '../../schema/connection.ts';
import { MoneyRef } from '../../schema/money.ts';
import { implementNode, NodeRef } from '../../schema/node.ts';
import { readId } from '../../schema/node-id.ts';
import { semanticNonNull } from '../../schema/semantic-non-null.ts';
import {
  isObject,
  type RestRecord,
  readCurrency,
  readFlag,
  readInstantOrNull,
  readIntegerOrNull,
  readStringOrNull,
} from '../../upstream/record.ts';
import type { Merchant } from './merchant-source.ts';

const CompanyRef = builder
  .objectRef<Omit<RestRecord<'country' | 'number'>, 'id'>>('Company')
  .implement({
    description: 'The company that owns a merchant.',
    fields: (t) => ({
      country: t.string({
        nullable: true,
        description: 'ISO 3166 country code. Null if not reported.',
        resolve: (company) => readStringOrNull(company, 'country'),
      }),
      number: t.string({
        nullable: true,
        description: 'Registration number of the company. Null if it has none.',
        resolve: (company) => readStringOrNull(company, 'number'),
      }),
    }),
  });

const BankRef = builder.objectRef<Omit<RestRecord<'iban'>, 'id'>>('Bank').implement({
  description: 'The bank account that receives the payouts of a merchant.',
  fields: (t) => ({
    iban: t.string({
      nullable: true,
      description: 'IBAN of the account. Null if it has none.',
      resolve: (bank) => readStringOrNull(bank, 'iban'),
    }),
  }),
});

/** A merchant. */
export const MerchantRef = builder.objectRef<Merchant>('Merchant').implement({
  description: 'A merchant, with its transactions and balance lines.',
  interfaces: [NodeRef],
  fields: (t) => ({
    publicKey: t.string({
      nullable: true,
      description:
        'Public key of the merchant, which identifies it in payment links. Not secret. Null if not reported.',
      resolve: (merchant) => readStringOrNull(merchant, 'key'),
    }),
    name: t.string({
      nullable: true,
      description: 'Name of the merchant. Null if it has none.',
      resolve: (merchant) => readStringOrNull(merchant, 'name'),
    }),
    fundingCurrency: t.field({
      type: 'CurrencyCode',
      description: 'Funding currency: the currency of the balance and of fees. Never changes.',
      resolve: (merchant, _args, { merchants }) =>
        merchants.read(merchant, (record) => readCurrency(record, 'currency')),
    }),
    balance: t.field({
      type: MoneyRef,
      nullable: true,
      description: 'Balance in the funding currency; may be negative. Null if not reported.',
      resolve: (merchant, _args, { merchants }) => {
        const minorUnits = readIntegerOrNull(merchant, 'balance');
        if (minorUnits === null) return null;
        return merchants.read(merchant, (record) => ({
          minorUnits,
          currency: readCurrency(record, 'currency'),
        }));
      },
    }),
    test: t.boolean({
      description: 'Whether this is a test merchant, which moves no real money. Never changes.',
      resolve: (merchant) => readFlag(merchant, 'test'),
    }),
    email: t.string({
      nullable: true,
      description: 'Contact e-mail address. Null if not reported.',
      resolve: (merchant) => readStringOrNull(merchant, 'email'),
    }),
    website: t.string({
      nullable: true,
      description: 'Website where the merchant sells. Never changes. Null if not reported.',
      resolve: (merchant) => readStringOrNull(merchant, 'website'),
    }),
    statementDescriptor: t.string({
      nullable: true,
      description:
        "Default text on customers' bank statements, for payments without their own `statementDescriptor`. Null if not reported.",
      resolve: (merchant) => readStringOrNull(merchant, 'descriptor'),
    }),
    descriptor: t.string({
      nullable: true,
      deprecationReason: 'Use `statementDescriptor`.',
      description: 'The same as `statementDescriptor`.',
      resolve: (merchant) => readStringOrNull(merchant, 'descriptor'),
    }),
    company: t.field({
      type: CompanyRef,
      nullable: true,
      description: 'The company that owns the merchant. Never changes. Null if not reported.',
      resolve: ({ company }) => (isObject(company) ? company : null),
    }),
    bank: t.field({
      type: BankRef,
      nullable: true,
      description: 'The bank account that receives payouts. Never changes. Null if not reported.',
      resolve: ({ bank }) => (isObject(bank) ? bank : null),
    }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the merchant was created. Null if not reported.',
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
    description: 'A merchant by its id. Null if it does not exist.',
    args: { id: t.arg.id({ required: true, description: 'A node id or a `rawId`.' }) },
    resolve: (_root, { id }, context, info) => {
      const rawId = readId('mer', id);
      const loading = context.merchants.load(rawId);
      context.ahead?.begin(MerchantRef.name, rawId, context, info);
      return loading;
    },
  }),
  merchants: t.field({
    type: MerchantConnection,
    ...semanticNonNull,
    description: 'Merchants that the calling app has access to, newest first.',
    args: {
      ...pagingArgs(t.arg),
      test: t.arg.boolean({
        description: '`true` returns only test merchants, `false` only live merchants.',
      }),
    },
    resolve: (_root, args, { merchants, viewer }, info) =>
      resolvePage(args, info, {
        kind: 'mer',
        fetch: async (request) =>
          merchants.list((await viewer.load()).id, request, args.test ?? undefined),
      }),
  }),
}));
