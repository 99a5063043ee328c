import type { Columns } from '../../../replica/copied-list.ts';
import type { CopiedTotal } from '../../../replica/store/totals.ts';
import type { TransactionState } from '../state.ts';
import type { CardScheme } from '../transaction-enums.ts';
import type { Transaction } from '../transaction-source.ts';
import { type Counter, counters, type Dimension, type Summand, toSummand } from './group.ts';

/** What the copy of a transaction is grouped by, in the order in which it is stored. */
const STORED = ['CURRENCY', 'CARD_SCHEME', 'STATE'] as const;
const dimensions = new Set<Dimension>(['CARD_SCHEME', 'STATE']);

/** What the copy of a transaction stores for totals. Throws a `ShapeError`. */
export function toTotals(transaction: Transaction): Required<Pick<Columns, 'groups' | 'sums'>> {
  const { key, amounts } = toSummand(transaction, dimensions, () => '');
  return {
    groups: [key.currency, key.cardScheme, key.state],
    sums: counters.map((counter) => Number(amounts[counter])),
  };
}

/** How the copies of transactions are added up. */
export function groupingOf(by: ReadonlySet<Dimension>) {
  const isWanted = (name: (typeof STORED)[number]) => name === 'CURRENCY' || by.has(name);
  return {
    by: [...STORED.keys()].filter((index) => isWanted(STORED[index] ?? 'CURRENCY')),
    isByQuarter: by.has('DAY'),
    sums: counters.length,
  };
}

/** Reads the totals of copies that were grouped in this way. */
export function toSummands(
  totals: readonly CopiedTotal[],
  by: ReadonlySet<Dimension>,
  dayOf: (instant: Date) => string,
): Summand[] {
  return totals.map(({ groups, quarter, count, sums }) => {
    const [currency = '', ...rest] = groups;
    // In the order of the grouping.
    const scheme = by.has('CARD_SCHEME') ? rest.shift() : null;
    const state = by.has('STATE') ? rest.shift() : null;
    const amounts = counters.map((counter, index) => [counter, BigInt(sums[index] ?? 0)]);
    return {
      count,
      // The columns were computed by the functions that compute these.
      key: {
        currency: currency ?? '',
        day: quarter && dayOf(quarter),
        cardScheme: (scheme ?? null) as CardScheme | null,
        state: (state ?? null) as TransactionState | null,
      },
      amounts: Object.fromEntries(amounts) as Record<Counter, bigint>,
    };
  });
}
