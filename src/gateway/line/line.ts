import type { Context } from '../context.ts';
import { builder } from '../graphql/builder.ts';
import { connectionType, pagingArgs, resolvePage } from '../graphql/connection.ts';
import { type Money, MoneyRef } from '../graphql/money.ts';
import { implementNode, NodeRef } from '../graphql/node.ts';
import { readId } from '../graphql/node-id.ts';
import { semanticNonNull } from '../graphql/semantic-non-null.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import {
  isObject,
  readFlag,
  readInstant,
  readIntegerOrNull,
  readText,
  readTextOrNull,
} from '../rest/record.ts';
import { TrailEntryRef } from '../transaction/trail-entry.ts';
import { TransactionRef } from '../transaction/transaction.ts';
import type { Line } from './line-source.ts';

async function loadMerchant(line: Line, { lines, merchants }: Context) {
  return merchants.load(await lines.read(line, (record) => readText(record, 'merchantId')));
}

/** An amount in the funding currency, which only the merchant knows. */
async function fundingMoney(
  line: Line,
  minorUnits: number | null,
  context: Context,
): Promise<Money | null> {
  if (minorUnits === null) return null;
  const merchant = await loadMerchant(line, context);
  if (merchant === null) return null;
  const currency = await context.merchants.read(merchant, (record) => readText(record, 'currency'));
  return { minorUnits, currency };
}

/** One movement of a merchant's balance. */
const LineRef = builder.objectRef<Line>('Line').implement({
  description:
    "One movement of a merchant's balance: a capture, a refund, a dispute, a payout or the like.",
  interfaces: [NodeRef],
  fields: (t) => ({
    merchant: t.field({
      type: MerchantRef,
      ...semanticNonNull,
      description: 'The merchant whose balance moved.',
      resolve: (line, _args, context) => loadMerchant(line, context),
    }),
    test: t.boolean({
      description: 'Whether it is on a test account.',
      resolve: (line, _args, { lines }) => lines.read(line, (record) => readFlag(record, 'test')),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it happened.',
      resolve: (line, _args, { lines }) =>
        lines.read(line, (record) => readInstant(record, 'created')),
    }),
    balance: t.field({
      type: MoneyRef,
      nullable: true,
      description: 'Effect on the balance, in the funding currency; null when unknown.',
      resolve: (line, _args, context) =>
        fundingMoney(line, readIntegerOrNull(line, 'balance'), context),
    }),
    fee: t.field({
      type: MoneyRef,
      nullable: true,
      description:
        'Fee contained in it, in the funding currency, negative when given back; null when there is none.',
      resolve: (line, _args, context) =>
        fundingMoney(
          line,
          isObject(line.fee)
            ? readIntegerOrNull(line.fee, 'amount')
            : readIntegerOrNull(line, 'fee'),
          context,
        ),
    }),
    description: t.string({
      nullable: true,
      description: 'Reference text; null when there is none.',
      resolve: (line) => readTextOrNull(line, 'description'),
    }),
    transaction: t.field({
      type: TransactionRef,
      nullable: true,
      description: 'The transaction behind it; null when there is none, as for a payout.',
      resolve: (line, _args, { transactions }) => {
        const id = readTextOrNull(line, 'transactionId');
        return id === null ? null : transactions.load(id);
      },
    }),
  }),
});

implementNode(LineRef, 'lin', (id, { lines }) => lines.load(id));

const LineConnection = connectionType('Line', LineRef);

builder.queryField('line', (t) =>
  t.field({
    type: LineRef,
    nullable: true,
    description: 'One line; null when there is none.',
    args: { id: t.arg.id({ required: true, description: "A node id, or the service's own id." }) },
    resolve: (_root, { id }, { lines }) => lines.load(readId('lin', id)),
  }),
);

builder.objectField(MerchantRef, 'lines', (t) =>
  t.field({
    type: LineConnection,
    ...semanticNonNull,
    description: 'Movements of the balance, newest first.',
    args: pagingArgs(t.arg),
    resolve: (merchant, args, { lines }, info) =>
      resolvePage(args, info, {
        kind: 'lin',
        fetch: (request) => lines.list(merchant.id, request),
      }),
  }),
);

builder.interfaceField(TrailEntryRef, 'line', (t) =>
  t.field({
    type: LineRef,
    nullable: true,
    description: "The movement of the merchant's balance; null when there is none, as for voids.",
    resolve: ({ raw }, _args, { lines }) => {
      const id = readTextOrNull(raw, 'lineId');
      return id === null ? null : lines.load(id);
    },
  }),
);
