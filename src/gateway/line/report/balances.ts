import type { Row, Tally } from './tally.ts';

/** What the balances of a report are calculated from. */
export type BalanceBasis = 'SUMMED' | 'DERIVED';

/** The balances at both ends of a period, in minor units. */
export interface Balances {
  readonly basis: BalanceBasis;
  readonly opening: bigint;
  readonly closing: bigint;
  /** By how much the reported balance differs from the sum of all lines; 0 if it does not. */
  readonly discrepancy: bigint;
}

/**
 * The balances of a period: from all lines of the merchant, or else from its balance and the
 * lines since then. Undefined if neither is known, or if a line could not be read.
 *
 * @param balance the balance after the newest line of the tally; null if it is not known
 * @param hasAll whether the tally contains every line of the merchant
 */
export function balancesOf(
  { newer, older, rows, skipped }: Tally,
  balance: bigint | null,
  hasAll: boolean,
): Balances | undefined {
  if (skipped > 0) return undefined;
  const net = netOf([...rows.values()]);
  if (hasAll) {
    const total = older + net + newer;
    const discrepancy = balance === null ? 0n : balance - total;
    return { basis: 'SUMMED', opening: older, closing: older + net, discrepancy };
  }
  if (balance === null) return undefined;
  const closing = balance - newer;
  return { basis: 'DERIVED', opening: closing - net, closing, discrepancy: 0n };
}

/** What rows add up to. */
export function netOf(rows: readonly Row[]): bigint {
  return rows.reduce((sum, { net }) => sum + net, 0n);
}
