import type { Context } from '../context.ts';
import { builder } from '../graphql/builder.ts';
import { type Money, MoneyRef } from '../graphql/money.ts';
import {
  isObject,
  readFlag,
  readInstant,
  readInteger,
  readIntegerOrNull,
  readText,
  readTextOrNull,
} from '../rest/record.ts';
import { type TrailEntry, type TrailKind, transactionMoney } from './trail.ts';

/** An amount in the funding currency of an entry's merchant, which only the merchant knows. */
async function fundingMoney(
  { transaction }: TrailEntry,
  minorUnits: number | null,
  { merchants, transactions }: Context,
): Promise<Money | null> {
  if (minorUnits === null) return null;
  const merchantId = await transactions.read(transaction, (record) =>
    readText(record, 'merchantId'),
  );
  const merchant = await merchants.load(merchantId);
  if (merchant === null) return null;
  const currency = await merchants.read(merchant, (record) => readText(record, 'currency'));
  return { minorUnits, currency };
}

interface Fee {
  readonly entry: TrailEntry;
  readonly raw: unknown;
}

/** A part of a fee: the service promises no shape, so anything else than a number is no value. */
function feePart({ raw }: Fee, part: 'flat' | 'rate'): number | null {
  return isObject(raw) && typeof raw[part] === 'number' ? readIntegerOrNull(raw, part) : null;
}

const FeeRef = builder.objectRef<Fee>('Fee').implement({
  description: 'What a movement cost, in the funding currency. Negative parts were given back.',
  fields: (t) => ({
    flat: t.field({
      type: MoneyRef,
      nullable: true,
      description: 'The part that does not depend on the amount; null when the service names none.',
      resolve: (fee, _args, context) => fundingMoney(fee.entry, feePart(fee, 'flat'), context),
    }),
    rate: t.field({
      type: MoneyRef,
      nullable: true,
      description: 'The part that grows with the amount; null when the service names none.',
      resolve: (fee, _args, context) => fundingMoney(fee.entry, feePart(fee, 'rate'), context),
    }),
    raw: t.field({
      type: 'JSON',
      description: "The service's own value, whose shape it does not promise.",
      resolve: ({ raw }) => raw,
    }),
  }),
});

const typeNames: Record<TrailKind, string> = {
  capture: 'CaptureTrailEntry',
  refund: 'RefundTrailEntry',
  void: 'VoidTrailEntry',
  dispute: 'DisputeTrailEntry',
  unknown: 'UnknownTrailEntry',
};

/** One thing that happened to a transaction. */
export const TrailEntryRef = builder.interfaceRef<TrailEntry>('TrailEntry').implement({
  description: 'One thing that happened to a transaction.',
  resolveType: ({ kind }) => typeNames[kind],
  fields: (t) => ({
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it happened.',
      resolve: ({ raw }) => readInstant(raw, 'created'),
    }),
    amount: t.field({
      type: MoneyRef,
      description: "How much it was about, in the transaction's currency.",
      resolve: ({ transaction, raw }) => transactionMoney(transaction, readInteger(raw, 'amount')),
    }),
    balance: t.field({
      type: MoneyRef,
      nullable: true,
      description:
        "Effect on the merchant's balance after fees and exchange, in the funding currency; null when the service does not tell.",
      resolve: (entry, _args, context) =>
        fundingMoney(entry, readIntegerOrNull(entry.raw, 'balance'), context),
    }),
    fee: t.field({
      type: FeeRef,
      nullable: true,
      description: 'What it cost; null when the service does not tell.',
      resolve: (entry) =>
        entry.raw.fee === undefined || entry.raw.fee === null
          ? null
          : { entry, raw: entry.raw.fee },
    }),
    descriptor: t.string({
      nullable: true,
      description: "Text on the customer's bank statement; null when there is none, as for voids.",
      resolve: ({ raw }) => readTextOrNull(raw, 'descriptor'),
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
  'Reserved money was taken; from now on it can be refunded.',
);
export const RefundTrailEntry = entryType('RefundTrailEntry', 'Captured money was given back.');
export const VoidTrailEntry = entryType(
  'VoidTrailEntry',
  'Reserved money was let go; it can no longer be captured.',
);

const DisputeOutcome = builder.enumType('DisputeOutcome', {
  description: 'How a dispute ended, seen from the merchant.',
  values: {
    WON: { description: 'The merchant keeps the money.' },
    LOST: { description: 'The money went back to the cardholder.' },
  },
});

export const DisputeTrailEntry = builder.objectRef<TrailEntry>('DisputeTrailEntry').implement({
  description: 'A cardholder disputed the payment, such as by a chargeback.',
  interfaces: [TrailEntryRef],
  fields: (t) => ({
    outcome: t.field({
      type: DisputeOutcome,
      nullable: true,
      description: 'How it ended; null while undecided.',
      resolve: ({ raw: { dispute } }) => {
        if (!isObject(dispute)) return null;
        if (readFlag(dispute, 'won')) return 'WON';
        return readFlag(dispute, 'lost') ? 'LOST' : null;
      },
    }),
  }),
});

builder.objectRef<TrailEntry>('UnknownTrailEntry').implement({
  description: 'Something of a kind that this gateway does not know yet.',
  interfaces: [TrailEntryRef],
  fields: (t) => ({
    raw: t.field({
      type: 'JSON',
      description: 'The entry as the service sent it.',
      resolve: ({ raw }) => raw,
    }),
  }),
});
