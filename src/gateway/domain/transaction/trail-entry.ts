import type { Money } from '../../schema/amount.ts';
import { builder } from '../../schema/builder.ts';
import type { Context } from '../../schema/context.ts';
import { MoneyRef } from '../../schema/money.ts';
import {
  isObject,
  readCurrency,
  readFlag,
  readInstant,
  readInteger,
  readIntegerOrNull,
  readString,
  readStringOrNull,
} from '../../upstream/record.ts';
import { transactionMoney } from './state.ts';
import type { TrailEntry, TrailKind } from './trail.ts';

/** An amount in the funding currency, which is read from the entry's merchant. */
async function fundingMoney(
  { transaction }: TrailEntry,
  minorUnits: number | null,
  { merchants, transactions }: Context,
): Promise<Money | null> {
  if (minorUnits === null) return null;
  const merchantId = await transactions.read(transaction, (record) =>
    readString(record, 'merchantId'),
  );
  const merchant = await merchants.load(merchantId);
  if (merchant === null) return null;
  const currency = await merchants.read(merchant, (record) => readCurrency(record, 'currency'));
  return { minorUnits, currency };
}

function readBalanceChange(entry: TrailEntry, _args: object, context: Context) {
  return fundingMoney(entry, readIntegerOrNull(entry.raw, 'balance'), context);
}

interface Fee {
  readonly entry: TrailEntry;
  readonly raw: unknown;
}

/** A part of a fee. Its shape is not specified, so anything but a number counts as absent. */
function feePart({ raw }: Fee, part: 'flat' | 'rate'): number | null {
  return isObject(raw) && typeof raw[part] === 'number' ? readIntegerOrNull(raw, part) : null;
}

const FeeRef = builder.objectRef<Fee>('Fee').implement({
  description:
    'The fee of a trail entry, in the funding currency. A negative amount is a fee that was returned to the merchant.',
  fields: (t) => ({
    flat: t.field({
      type: MoneyRef,
      nullable: true,
      description: 'The fixed part. Null if not reported.',
      resolve: (fee, _args, context) => fundingMoney(fee.entry, feePart(fee, 'flat'), context),
    }),
    rate: t.field({
      type: MoneyRef,
      nullable: true,
      description:
        'The part that is a percentage of the payment, as an amount. Null if not reported.',
      resolve: (fee, _args, context) => fundingMoney(fee.entry, feePart(fee, 'rate'), context),
    }),
    raw: t.field({
      type: 'JSON',
      description:
        'The fee as the payments service returned it. Its structure is not defined and can change.',
      resolve: ({ raw }) => raw,
    }),
  }),
});

const typeNames: Record<TrailKind, string> = {
  CAPTURE: 'CaptureTrailEntry',
  REFUND: 'RefundTrailEntry',
  VOID: 'VoidTrailEntry',
  DISPUTE: 'DisputeTrailEntry',
  UNKNOWN: 'UnknownTrailEntry',
};

/** One entry of the trail of a transaction, which is its history. */
export const TrailEntryRef = builder.interfaceRef<TrailEntry>('TrailEntry').implement({
  description: 'One entry of the trail of a transaction, which is its history.',
  resolveType: ({ kind }) => typeNames[kind],
  fields: (t) => ({
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it happened.',
      resolve: ({ raw }) => readInstant(raw, 'created'),
    }),
    amount: t.field({
      type: MoneyRef,
      description: "The amount, in the transaction's currency.",
      resolve: ({ transaction, raw }) => transactionMoney(transaction, readInteger(raw, 'amount')),
    }),
    balanceChange: t.field({
      type: MoneyRef,
      nullable: true,
      description:
        "Change in the merchant's balance after fees and currency conversion, in the funding currency. Null if not reported.",
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
      type: FeeRef,
      nullable: true,
      description: 'The fee. Null if not reported.',
      resolve: (entry) =>
        entry.raw.fee === undefined || entry.raw.fee === null
          ? null
          : { entry, raw: entry.raw.fee },
    }),
    statementDescriptor: t.string({
      nullable: true,
      description: "Text on the customer's bank statement. Null if there is none, as for a void.",
      resolve: ({ raw }) => readStringOrNull(raw, 'descriptor'),
    }),
    descriptor: t.string({
      nullable: true,
      deprecationReason: 'Use `statementDescriptor`.',
      description: 'The same as `statementDescriptor`.',
      resolve: ({ raw }) => readStringOrNull(raw, 'descriptor'),
    }),
  }),
});

function entryType(name: string, description: string) {
  return builder
    .objectRef<TrailEntry>(name)
    .implement({ description, interfaces: [TrailEntryRef] });
}

export const CaptureTrailEntry = entryType(
  'CaptureTrailEntry',
  'A capture of a reserved amount. You can refund the captured amount.',
);
export const RefundTrailEntry = entryType('RefundTrailEntry', 'A refund of a captured amount.');
export const VoidTrailEntry = entryType(
  'VoidTrailEntry',
  'A release of a reserved amount without capture.',
);

const DisputeOutcome = builder.enumType('DisputeOutcome', {
  description: 'The outcome of a dispute for the merchant.',
  values: {
    WON: { description: 'The merchant keeps the amount.' },
    LOST: { description: 'The amount was returned to the cardholder.' },
  },
});

export const DisputeTrailEntry = builder.objectRef<TrailEntry>('DisputeTrailEntry').implement({
  description: 'The cardholder disputed the payment, for example by a chargeback.',
  interfaces: [TrailEntryRef],
  fields: (t) => ({
    outcome: t.field({
      type: DisputeOutcome,
      nullable: true,
      description: 'The outcome. Null while the dispute is open.',
      resolve: ({ raw: { dispute } }) => {
        if (!isObject(dispute)) return null;
        if (readFlag(dispute, 'won')) return 'WON';
        return readFlag(dispute, 'lost') ? 'LOST' : null;
      },
    }),
  }),
});

builder.objectRef<TrailEntry>('UnknownTrailEntry').implement({
  description: 'An entry of a kind that this gateway does not know.',
  interfaces: [TrailEntryRef],
  fields: (t) => ({
    raw: t.field({
      type: 'JSON',
      description: 'The entry as the payments service returned it.',
      resolve: ({ raw }) => raw,
    }),
  }),
});
