import { isObject, readInstant, readInteger, readIntegerOrNull } from '../../rest/record.ts';
import { type LineKind, lineKindOf } from '../line-kind.ts';
import type { Line } from '../line-source.ts';

/** The period of a report: from inclusive, to exclusive. */
export interface Period {
  readonly from: Date;
  readonly to: Date;
}

/** What a report reads of a line. Amounts in minor units of the funding currency. */
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

/** What lines of one kind add up to, on one day. */
export interface Row {
  readonly day: string;
  readonly kind: LineKind;
  count: number;
  net: bigint;
  fees: bigint;
}

/** The sums of the lines that a report has examined. */
export interface Tally {
  /** Changes by lines that are newer than the period, and older than it. */
  newer: bigint;
  older: bigint;
  /** One row for each day and kind, by both. */
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
