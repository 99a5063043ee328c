import { isObject, readInstant, readInteger, readIntegerOrNull } from '../../../upstream/record.ts';
import { type LineKind, lineKindOf } from '../line.ts';
import type { Line } from '../line-source.ts';

/** The period of a report: from inclusive, to exclusive. */
export interface Period {
  readonly from: Date;
  readonly to: Date;
}

/** What a report uses of a line. Amounts are in minor units of the funding currency. */
export interface Entry {
  readonly created: Date;
  readonly kind: LineKind;
  readonly change: number;
  readonly fee: number;
}

/** Reads a line. Throws a `ShapeError` if it cannot read a field. */
export function toEntry(line: Line): Entry {
  const fee = isObject(line.fee)
    ? readIntegerOrNull(line.fee, 'amount')
    : readIntegerOrNull(line, 'fee');
  return {
    created: readInstant(line, 'created'),
    kind: lineKindOf(line),
    change: readInteger(line, 'balance'),
    fee: fee ?? 0,
  };
}

/** Totals of the lines of one kind on one day. */
export interface Row {
  readonly day: string;
  readonly kind: LineKind;
  count: number;
  net: bigint;
  fees: bigint;
}

/** The sums of the lines that a report has examined. */
export interface Tally {
  /** Sums of the lines newer than the period, and older than it. */
  newer: bigint;
  older: bigint;
  /** One row per day and kind. */
  readonly rows: Map<string, Row>;
  /** Lines that could not be read. */
  skipped: number;
}

/** Adds lines to a tally. */
export function add(
  tally: Tally,
  entries: readonly Entry[],
  { from, to }: Period,
  dayOf: (instant: Date) => string,
): void {
  for (const { created, kind, change, fee } of entries) {
    if (created >= to) tally.newer += BigInt(change);
    else if (created < from) tally.older += BigInt(change);
    else {
      const row = rowOf(tally, dayOf(created), kind);
      row.count++;
      row.net += BigInt(change);
      row.fees += BigInt(fee);
    }
  }
}

function rowOf({ rows }: Tally, day: string, kind: LineKind): Row {
  const key = `${day} ${kind}`;
  const row = rows.get(key) ?? { day, kind, count: 0, net: 0n, fees: 0n };
  rows.set(key, row);
  return row;
}

/** How the balances of a report are calculated. */
export type BalanceBasis = 'SUMMED' | 'DERIVED';

/** The balances at both ends of a period, in minor units. */
export interface Balances {
  readonly basis: BalanceBasis;
  readonly opening: bigint;
  readonly closing: bigint;
  /** Reported balance minus the sum of all lines; 0 if one of them is not known. */
  readonly discrepancy: bigint;
}

/**
 * The balances of a period, from all lines of the merchant if known, or else from its balance and
 * the newer lines. Undefined if neither is known, or if a line could not be read.
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

/** The net sum of rows. */
export function netOf(rows: readonly Row[]): bigint {
  return rows.reduce((sum, { net }) => sum + net, 0n);
}
