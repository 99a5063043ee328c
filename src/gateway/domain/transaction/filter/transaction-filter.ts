import type { MovementKind } from '../../../money/engine/operation.ts';
import { exponentOf } from '../../../schema/amount.ts';
import type { Condition } from '../../../search/condition.ts';
import {
  type AmountRange,
  isImpossibleRange,
  isInAmounts,
  isInTime,
  isLimited,
  type TimeRange,
} from '../../../search/range.ts';
import {
  isObject,
  readCurrency,
  readFlag,
  readInstant,
  readInteger,
  readStringOrNull,
} from '../../../upstream/record.ts';
import { availableOf, stateOf, type TransactionState } from '../state.ts';
import { readTrail } from '../trail.ts';
import { type CardScheme, toScheme } from '../transaction-enums.ts';
import { isSuccessful, type Transaction } from '../transaction-source.ts';
import { readSearchText, type SearchText, toMinorUnits } from './search-text.ts';

type Optional<T> = T | null | undefined;

/** Conditions on a transaction; all must be met. */
export interface TransactionFilter {
  readonly text?: Optional<string>;
  readonly createdAt?: Optional<TimeRange>;
  readonly amount?: Optional<AmountRange>;
  readonly currency?: Optional<readonly string[]>;
  readonly state?: Optional<readonly TransactionState[]>;
  readonly availableAction?: Optional<readonly MovementKind[]>;
  readonly disputed?: Optional<boolean>;
  readonly successful?: Optional<boolean>;
  readonly recurring?: Optional<boolean>;
  readonly card?: Optional<{
    readonly last4?: Optional<string>;
    readonly bin?: Optional<string>;
    readonly scheme?: Optional<readonly CardScheme[]>;
  }>;
  readonly statementDescriptor?: Optional<string>;
  readonly custom?: Optional<
    readonly { readonly path: readonly string[]; readonly equals?: unknown }[]
  >;
}

/** The conditions of a filter; empty if it has none. */
export function conditionsOf(filter: TransactionFilter): Condition<Transaction>[] {
  const { createdAt, amount, currency, state, availableAction, successful, recurring } = filter;
  return [
    ...when(successful, (wanted) => (one) => isSuccessful(one) === wanted),
    ...when(recurring, (wanted) => (one) => readFlag(one, 'recurring') === wanted),
    ...when(currency, (wanted) => (one) => wanted.includes(readCurrency(one, 'currency'))),
    ...when(amount, (range) => (one) => isInAmounts(amountOf(one), range)),
    ...when(
      isLimited(createdAt) ? createdAt : null,
      (range) => (one) => isInTime(readInstant(one, 'created'), range),
    ),
    ...cardConditions(filter.card),
    ...when(
      filter.statementDescriptor?.toLowerCase(),
      (part) =>
        ({ descriptor }) =>
          containsPart(descriptor, part),
    ),
    ...when(
      filter.custom,
      (wanted) =>
        ({ custom }) =>
          wanted.every(({ path, equals }) => areEqual(valueAt(custom, path), equals)),
    ),
    ...when(filter.text == null ? undefined : readSearchText(filter.text), meansText),
    ...when(filter.disputed, (wanted) => (one) => isDisputed(one) === wanted),
    ...when(state, (wanted) => (one) => wanted.includes(stateOf(one))),
    ...when(availableAction, (wanted) => (one) => {
      const available = availableOf(one);
      return wanted.some((action) => available[action] > 0);
    }),
  ];
}

/** The condition on a wanted value, if there is one. */
function when<T>(
  value: Optional<T>,
  condition: (value: T) => Condition<Transaction>,
): Condition<Transaction>[] {
  return value === undefined || value === null ? [] : [condition(value)];
}

const amountOf = (transaction: Transaction) => ({
  minorUnits: readInteger(transaction, 'amount'),
  currency: readCurrency(transaction, 'currency'),
});

function cardConditions(card: TransactionFilter['card']): Condition<Transaction>[] {
  const read = ({ card: sent }: Transaction, field: 'last4' | 'bin' | 'scheme') =>
    isObject(sent) ? readStringOrNull(sent, field) : null;
  return [
    ...when(card?.last4, (wanted) => (one) => read(one, 'last4') === wanted),
    ...when(card?.bin, (wanted) => (one) => read(one, 'bin') === wanted),
    ...when(card?.scheme, (wanted) => (one) => {
      const scheme = toScheme(read(one, 'scheme'));
      return scheme !== null && wanted.includes(scheme);
    }),
  ];
}

/** Whether a transaction has, or had, a dispute. */
export function isDisputed(transaction: Transaction): boolean {
  return (
    readInteger(transaction, 'disputedAmount') > 0 ||
    readTrail(transaction).some(({ kind }) => kind === 'DISPUTE')
  );
}

/** Matches if the text is the last digits of the card, the amount, or part of a reference. */
function meansText({ part, last4, amounts, currency }: SearchText): Condition<Transaction> {
  const isAmount = (transaction: Transaction) => {
    const code = readCurrency(transaction, 'currency');
    const exponent = exponentOf(code);
    if (exponent === undefined || (currency !== undefined && currency !== code)) return false;
    const sent = BigInt(readInteger(transaction, 'amount'));
    return amounts.some((amount) => toMinorUnits(amount, exponent) === sent);
  };
  return (transaction) => {
    const { card, custom, descriptor } = transaction;
    if (last4 !== undefined && isObject(card) && readStringOrNull(card, 'last4') === last4)
      return true;
    if (containsPart(custom, part) || containsPart(descriptor, part)) return true;
    return amounts.length > 0 && isAmount(transaction);
  };
}

/** Whether no transaction can meet a filter. */
export function isImpossible({ createdAt, amount, card, ...filter }: TransactionFilter): boolean {
  const lists = [filter.currency, filter.state, filter.availableAction, card?.scheme];
  return lists.some((wanted) => wanted?.length === 0) || isImpossibleRange(createdAt, amount);
}

/** What the service can filter by: whether only successful or only declined transactions match. */
export function successOf({ successful, state, availableAction }: TransactionFilter) {
  if (successful != null) return successful;
  if (availableAction != null) return true;
  if (state == null) return undefined;
  if (!state.includes('DECLINED')) return true;
  return state.every((wanted) => wanted === 'DECLINED') ? false : undefined;
}

/** The value at a path of keys and indexes; undefined if there is none. */
function valueAt(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const key of path) {
    // A client can send a path of many thousands of keys.
    if (current === undefined) break;
    if (Array.isArray(current)) current = INDEX.test(key) ? current[Number(key)] : undefined;
    else current = isObject(current) && Object.hasOwn(current, key) ? current[key] : undefined;
  }
  return current;
}

const INDEX = /^\d+$/;

/** Deeper values equal nothing and are not searched: the recursion would overflow the stack. */
const MAX_DEPTH = 200;

/** Whether two JSON values are equal. The order of keys does not matter. */
function areEqual(one: unknown, other: unknown, depth = 0): boolean {
  if (depth > MAX_DEPTH) return false;
  const same = (a: unknown, b: unknown) => areEqual(a, b, depth + 1);
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((value, index) => same(value, other[index]));
  }
  if (isObject(one) && isObject(other)) {
    const keys = Object.keys(one);
    return (
      keys.length === Object.keys(other).length &&
      keys.every((key) => Object.hasOwn(other, key) && same(one[key], other[key]))
    );
  }
  return one === other;
}

/** Whether any string in a JSON value contains `part`, which is lowercase. Case-insensitive. */
function containsPart(value: unknown, part: string): boolean {
  return stringsIn(value).some((text) => text.toLowerCase().includes(part));
}

/** The strings in a value, at any depth. */
export function stringsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  return Object.values(value).flatMap((inner) => stringsIn(inner, depth + 1));
}
