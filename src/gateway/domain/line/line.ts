import type { Money } from '../../schema/amount.ts';
import { builder } from '../../schema/builder.ts';
import type { Context } from '../../schema/context.ts';
import { MoneyRef } from '../../schema/money.ts';
import { implementNode, NodeRef } from '../../schema/node.ts';
import { readId } from '../../schema/node-id.ts';
import { semanticNonNull } from '../../schema/semantic-non-null.ts';
import {
  isFlagged,
  isObject,
  mustExist,
  readCurrency,
  readFlag,
  readInstant,
  readIntegerOrNull,
  readString,
  readStringOrNull,
} from '../../upstream/record.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import { TrailEntryRef } from '../transaction/trail-entry.ts';
import { TransactionRef } from '../transaction/transaction.ts';
import type { Line } from './line-source.ts';

/** What changed a merchant's balance. */
export const LineKindRef = builder.enumType('LineKind', {
  description: "What changed a merchant's balance.",
  values: {
    CAPTURE: { description: 'A capture of a transaction.' },
    REFUND: { description: 'A refund of a transaction.' },
    DISPUTE: { description: 'A dispute: its opening, or its outcome.' },
    PAYOUT: { description: "A payout to the merchant's bank account." },
    OTHER: {
      description: 'Another change in the balance, or a change of a kind that is not reported.',
    },
  },
});

/** The kinds, in the order of the rows of a report. */
export const LINE_KINDS = ['CAPTURE', 'REFUND', 'DISPUTE', 'PAYOUT', 'OTHER'] as const;

/** What changed a merchant's balance. */
export type LineKind = typeof LineKindRef.$inferType;

/** The kind of a line. Specification: payments, "Line". */
export function lineKindOf(line: Line): LineKind {
  if (isObject(line.dispute) || isFlagged(line, 'dispute')) return 'DISPUTE';
  if (isFlagged(line, 'capture')) return 'CAPTURE';
  if (isFlagged(line, 'refund')) return 'REFUND';
  return isFlagged(line, 'payout') ? 'PAYOUT' : 'OTHER';
}

async function loadMerchant(line: Line, { lines, merchants }: Context) {
  return merchants.load(await lines.read(line, (record) => readString(record, 'merchantId')));
}

/** An amount in the funding currency, which only the merchant's record contains. */
async function fundingMoney(
  line: Line,
  minorUnits: number | null,
  context: Context,
): Promise<Money | null> {
  if (minorUnits === null) return null;
  const merchant = await loadMerchant(line, context);
  if (merchant === null) return null;
  const currency = await context.merchants.read(merchant, (record) =>
    readCurrency(record, 'currency'),
  );
  return { minorUnits, currency };
}

function readBalanceChange(line: Line, _args: object, context: Context) {
  return fundingMoney(line, readIntegerOrNull(line, 'balance'), context);
}

/** A balance line: one change of a merchant's balance. */
export const LineRef = builder.objectRef<Line>('Line').implement({
  description:
    "A balance line: one change of a merchant's balance, such as a capture, a refund, a dispute or a payout.",
  interfaces: [NodeRef],
  fields: (t) => ({
    merchant: t.field({
      type: MerchantRef,
      ...semanticNonNull,
      description: 'The merchant whose balance changed.',
      resolve: (line, _args, context) => mustExist('payments', loadMerchant(line, context)),
    }),
    kind: t.field({
      type: LineKindRef,
      description: 'What changed the balance.',
      resolve: lineKindOf,
    }),
    test: t.boolean({
      description: 'Whether the line belongs to a test merchant.',
      resolve: (line, _args, { lines }) => lines.read(line, (record) => readFlag(record, 'test')),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When the line was created.',
      resolve: (line, _args, { lines }) =>
        lines.read(line, (record) => readInstant(record, 'created')),
    }),
    balanceChange: t.field({
      type: MoneyRef,
      nullable: true,
      description: 'Change in the balance, in the funding currency. Null if not reported.',
      resolve: readBalanceChange,
    }),
    balance: t.field({
      type: MoneyRef,
      nullable: true,
      deprecationReason: 'Use `balanceChange`.',
      description: 'The same as `balanceChange`.',
      resolve: readBalanceChange,
    }),
    fee: t.field({
      type: MoneyRef,
      nullable: true,
      description:
        'Fee, in the funding currency. Already deducted from `balanceChange`. Negative if the fee was returned to the merchant. Null if there is no fee.',
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
      description:
        'Description of the line, as the payments service returned it. Null if there is none.',
      resolve: (line) => readStringOrNull(line, 'description'),
    }),
    transaction: t.field({
      type: TransactionRef,
      nullable: true,
      description:
        'The transaction that caused the line. Null if there is none, for example for a payout.',
      resolve: (line, _args, { transactions }) => {
        const id = readStringOrNull(line, 'transactionId');
        return id === null ? null : transactions.load(id);
      },
    }),
  }),
});

implementNode(LineRef, 'lin', (id, { lines }) => lines.load(id));

builder.queryField('line', (t) =>
  t.field({
    type: LineRef,
    nullable: true,
    description: 'A balance line by its id. Null if it does not exist.',
    args: { id: t.arg.id({ required: true, description: 'A node id or a `rawId`.' }) },
    resolve: (_root, { id }, { lines }) => lines.load(readId('lin', id)),
  }),
);

builder.interfaceField(TrailEntryRef, 'line', (t) =>
  t.field({
    type: LineRef,
    nullable: true,
    description: 'The balance line that this entry caused. Null if there is none, as for a void.',
    resolve: ({ raw }, _args, { lines }) => {
      const id = readStringOrNull(raw, 'lineId');
      return id === null ? null : lines.load(id);
    },
  }),
);
