import type { MovementKind } from '../../money/engine/operation.ts';
import { movementKinds } from '../../money/engine/operation.ts';
import type { CopiedList, Narrowing } from '../../replica/copied-list.ts';
import { path } from '../../upstream/path.ts';
import {
  isFlagged,
  isObject,
  readCurrency,
  readFlag,
  readInstant,
  readInteger,
  readStringOrNull,
} from '../../upstream/record.ts';
import { type Decimal, readSearchText, toMinorUnits } from './filter/search-text.ts';
import { isDisputed, stringsIn, type TransactionFilter } from './filter/transaction-filter.ts';
import { availableOf, stateOf } from './state.ts';
import { toTotals } from './totals/copied-totals.ts';
import { readTrail } from './trail.ts';
import { toScheme } from './transaction-enums.ts';
import { factsOf } from './transaction-facts.ts';
import { isSuccessful, type Transaction } from './transaction-source.ts';

/** How the replica copies transactions. */
export const transactionCopy: CopiedList<Transaction> = {
  kind: 'txn',
  name: 'transactions',
  path: (merchantId) => path`/merchants/${merchantId}/transactions`,
  one: { name: 'transaction', path: (id) => path`/transactions/${id}` },
  columns: (transaction) => {
    const available = availableOf(transaction);
    const card = (field: 'last4' | 'bin' | 'scheme') =>
      isObject(transaction.card) ? readStringOrNull(transaction.card, field) : null;
    const last4 = card('last4');
    return {
      created: readInstant(transaction, 'created'),
      amount: readInteger(transaction, 'amount'),
      labels: [
        `currency:${readCurrency(transaction, 'currency')}`,
        `state:${stateOf(transaction)}`,
        `successful:${isSuccessful(transaction)}`,
        `recurring:${readFlag(transaction, 'recurring')}`,
        `disputed:${isDisputed(transaction)}`,
        `last4:${last4}`,
        `bin:${card('bin')}`,
        `scheme:${toScheme(card('scheme'))}`,
        ...movementKinds.filter((kind) => available[kind] > 0).map(toAction),
      ],
      words: [last4 ?? '', ...stringsIn(transaction.descriptor), ...stringsIn(transaction.custom)],
      ...toTotals(transaction),
    };
  },
  shows: (transaction) => {
    const trail = readTrail(transaction).filter(({ kind }) => kind !== 'VOID');
    const ids = trail.map(({ raw: { lineId, dispute } }) => [
      ...(typeof lineId === 'string' ? [lineId] : []),
      ...(isObject(dispute) && typeof dispute.id === 'string' ? [dispute.id] : []),
    ]);
    // Not every service names them.
    return ids.every((some) => some.length > 0) ? ids.flat() : undefined;
  },
  facts: factsOf,
  version: (transaction) => readTrail(transaction).length,
  isOpen: (transaction) =>
    isSuccessful(transaction) &&
    (readInteger(transaction, 'pendingAmount') > 0 || readTrail(transaction).some(isOpenDispute)),
};

const toAction = (kind: MovementKind) => `action:${kind}`;

function isOpenDispute({ raw: { dispute } }: ReturnType<typeof readTrail>[number]): boolean {
  return isObject(dispute) && !isFlagged(dispute, 'won') && !isFlagged(dispute, 'lost');
}

/** What lets through every transaction that a filter can match. */
export function narrowingOf(filter: TransactionFilter): Narrowing {
  const { card, text, statementDescriptor } = filter;
  const one = (name: string, value: unknown) => (value == null ? [] : [[`${name}:${value}`]]);
  const some = (name: string, values: readonly string[] | null | undefined) =>
    values == null ? [] : [values.map((value) => `${name}:${value}`)];
  const searched = text == null ? undefined : readSearchText(text);
  return {
    created: filter.createdAt,
    amount: filter.amount,
    labels: [
      ...one('successful', filter.successful),
      ...one('recurring', filter.recurring),
      ...one('disputed', filter.disputed),
      ...one('currency', filter.amount?.currency),
      ...some('currency', filter.currency),
      ...some('state', filter.state),
      ...some('action', filter.availableAction),
      ...one('last4', card?.last4),
      ...one('bin', card?.bin),
      ...some('scheme', card?.scheme),
    ],
    texts: [
      ...(statementDescriptor == null || statementDescriptor === ''
        ? []
        : [{ part: statementDescriptor, amounts: [] }]),
      ...(searched === undefined
        ? []
        : [{ part: searched.part, amounts: searched.amounts.flatMap(inMinorUnits) }]),
    ],
    // The judge also looks where in the text a part is, and at any value of `custom`.
    isExact:
      (text == null || searched === undefined) && !statementDescriptor && !filter.custom?.length,
  };
}

/** Currencies have up to four decimals. */
const EXPONENTS = [0, 1, 2, 3, 4];

function inMinorUnits(decimal: Decimal): bigint[] {
  return EXPONENTS.map((exponent) => toMinorUnits(decimal, exponent)).filter(isAmount);
}

/** What a column of amounts can contain. */
function isAmount(value: bigint | undefined): value is bigint {
  return value !== undefined && value <= BigInt(Number.MAX_SAFE_INTEGER);
}
