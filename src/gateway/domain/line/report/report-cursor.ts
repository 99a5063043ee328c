import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { badInput } from '../../../schema/bad-input.ts';
import { LINE_KINDS, type LineKind } from '../line.ts';
import type { Row, Tally } from './tally.ts';

/** The progress of a report, with which another request can continue it. */
export interface Progress {
  /** The last line examined. */
  readonly last: string;
  /** The balance after the newest line of the tally, in minor units; null if it is not known. */
  readonly balance: bigint | null;
  readonly tally: Tally;
}

/** Maximum decoded size. A report over several thousand days fits. */
const MAX_BYTES = 1_048_576;
const VERSION = 1;

type Encoded = [
  version: number,
  subject: string,
  last: string,
  balance: string | null,
  sums: [newer: string, older: string, skipped: number],
  rows: [day: string, kind: number, count: number, net: string, fees: string][],
];

/**
 * Encodes progress as an opaque cursor.
 *
 * @param subject identifies the report; the cursor continues only this one
 */
export function toReportCursor({ last, balance, tally }: Progress, subject: string): string {
  const { newer, older, skipped, rows } = tally;
  const encoded: Encoded = [
    VERSION,
    digest(subject),
    last,
    balance === null ? null : String(balance),
    [String(newer), String(older), skipped],
    [...rows.values()].map(encodeRow),
  ];
  return deflateRawSync(JSON.stringify(encoded)).toString('base64url');
}

/** Decodes a cursor. Rejects a cursor of another report, and anything else, as bad input. */
export function readReportCursor(cursor: string, subject: string): Progress {
  const encoded = decode(cursor);
  if (encoded === undefined) {
    throw badInput('`after` is not a cursor. Use the `endCursor` of a balance report.', 'after');
  }
  const [, about, last, balance, [newer, older, skipped], rows] = encoded;
  if (about !== digest(subject)) {
    throw badInput(
      '`after` is a cursor of another report. Use it with the same merchant and arguments.',
      'after',
    );
  }
  return {
    last,
    balance: balance === null ? null : BigInt(balance),
    tally: {
      ...{ newer: BigInt(newer), older: BigInt(older), skipped },
      rows: new Map(rows.map(toRow)),
    },
  };
}

function encodeRow({ day, kind, count, net, fees }: Row): Encoded[5][number] {
  return [day, LINE_KINDS.indexOf(kind), count, String(net), String(fees)];
}

function toRow([day, index, count, net, fees]: Encoded[5][number]): [string, Row] {
  // `isEncoded` checked the index.
  const kind = LINE_KINDS[index] as LineKind;
  return [`${day} ${kind}`, { day, kind, count, net: BigInt(net), fees: BigInt(fees) }];
}

/** A client that tampers with a cursor affects only its own report. */
function decode(cursor: string): Encoded | undefined {
  try {
    const bytes = inflateRawSync(Buffer.from(cursor, 'base64url'), { maxOutputLength: MAX_BYTES });
    const found: unknown = JSON.parse(bytes.toString());
    return isEncoded(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

const NUMBER = /^-?\d{1,40}$/;
const ID = /^[A-Za-z0-9_-]{1,128}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const isNumber = (value: unknown) => typeof value === 'string' && NUMBER.test(value);
const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;

function isEncoded(value: unknown): value is Encoded {
  if (!Array.isArray(value) || value[0] !== VERSION) return false;
  const [, about, last, balance, sums, rows] = value;
  return (
    typeof about === 'string' &&
    typeof last === 'string' &&
    ID.test(last) &&
    (balance === null || isNumber(balance)) &&
    Array.isArray(sums) &&
    isNumber(sums[0]) &&
    isNumber(sums[1]) &&
    isCount(sums[2]) &&
    Array.isArray(rows) &&
    rows.every(isRow)
  );
}

function isRow(row: unknown): boolean {
  if (!Array.isArray(row)) return false;
  const [day, kind, count, net, fees] = row;
  return (
    typeof day === 'string' &&
    DAY.test(day) &&
    Number.isInteger(kind) &&
    LINE_KINDS[kind] !== undefined &&
    isCount(count) &&
    isNumber(net) &&
    isNumber(fees)
  );
}

function digest(subject: string): string {
  return createHash('sha256').update(subject).digest('base64url').slice(0, 16);
}
