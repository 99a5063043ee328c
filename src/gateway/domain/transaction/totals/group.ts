import {
  isObject,
  readCurrency,
  readInstant,
  readInteger,
  readStringOrNull,
} from '../../../upstream/record.ts';
import { stateOf, type TransactionState } from '../state.ts';
import { type CardScheme, toScheme } from '../transaction-enums.ts';
import { isSuccessful, type Transaction } from '../transaction-source.ts';

/** What transactions can be grouped by, besides their currency. */
export type Dimension = 'DAY' | 'CARD_SCHEME' | 'STATE';

/** The counters of a transaction that are summed. */
export const counters = [
  'amount',
  'captured',
  'refunded',
  'voided',
  'pending',
  'disputed',
] as const;

/** The name of a counter. */
export type Counter = (typeof counters)[number];

/** The key of a transaction's group. Null for dimensions that are not grouped by. */
export interface GroupKey {
  readonly currency: string;
  readonly day: string | null;
  readonly cardScheme: CardScheme | null;
  readonly state: TransactionState | null;
}

/** Transactions with the same key. */
export interface Group extends GroupKey {
  count: number;
  /** Minor units, exact. */
  readonly sums: Record<Counter, bigint>;
}

/** The key and the amounts of one transaction, or of several that were summed before. */
export interface Summand {
  readonly key: GroupKey;
  readonly amounts: Readonly<Record<Counter, number | bigint>>;
  /** Default: 1. */
  readonly count?: number;
}

/**
 * Reads the key and the amounts of a transaction. Throws a `ShapeError` if it cannot read a field.
 *
 * @param dayOf finds the day of an instant
 */
export function toSummand(
  transaction: Transaction,
  by: ReadonlySet<Dimension>,
  dayOf: (instant: Date) => string,
): Summand {
  const { card } = transaction;
  const isDeclined = !isSuccessful(transaction);
  // Nothing was reserved, so nothing can have moved.
  const read = (field: `${Exclude<Counter, 'amount'>}Amount`) =>
    isDeclined ? 0 : readInteger(transaction, field);
  const scheme = isObject(card) ? toScheme(readStringOrNull(card, 'scheme')) : null;
  return {
    key: {
      currency: readCurrency(transaction, 'currency'),
      day: by.has('DAY') ? dayOf(readInstant(transaction, 'created')) : null,
      cardScheme: by.has('CARD_SCHEME') ? scheme : null,
      state: by.has('STATE') ? stateOf(transaction) : null,
    },
    amounts: {
      amount: readInteger(transaction, 'amount'),
      captured: read('capturedAmount'),
      refunded: read('refundedAmount'),
      voided: read('voidedAmount'),
      pending: read('pendingAmount'),
      disputed: read('disputedAmount'),
    },
  };
}

/** Sums summands with the same key. Sorted by currency, day, scheme and state. */
export function sumUp(summands: readonly Summand[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { key, amounts, count = 1 } of summands) {
    const name = JSON.stringify([key.currency, key.day, key.cardScheme, key.state]);
    const group = groups.get(name) ?? { ...key, count: 0, sums: zeros() };
    groups.set(name, group);
    group.count += count;
    for (const counter of counters) group.sums[counter] += BigInt(amounts[counter]);
  }
  const sorted = [...groups].sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([, group]) => group);
}

const zeros = (): Group['sums'] => ({
  ...{ amount: 0n, captured: 0n, refunded: 0n },
  ...{ voided: 0n, pending: 0n, disputed: 0n },
});
