import type { Money } from '../graphql/money.ts';
import {
  isObject,
  type RestRecord,
  readFlag,
  readInstant,
  readInteger,
  readText,
} from '../rest/record.ts';
import { ShapeError } from '../rest/rest-error.ts';
import type { Movement, Transaction } from './transaction-source.ts';

/** What a trail entry is about; `unknown` for a kind this gateway has not met. */
export type TrailKind = Movement | 'dispute' | 'unknown';

/** One entry of a transaction's trail, with the transaction it belongs to. */
export interface TrailEntry {
  readonly kind: TrailKind;
  readonly transaction: Transaction;
  readonly raw: Omit<
    RestRecord<
      | 'capture'
      | 'refund'
      | 'void'
      | 'dispute'
      | 'created'
      | 'amount'
      | 'balance'
      | 'fee'
      | 'descriptor'
      | 'lineId'
    >,
    'id'
  >;
}

/** The trail of a transaction, oldest first; entries of one instant keep the service's order. */
export function readTrail(transaction: Transaction): TrailEntry[] {
  const trail = transaction.trail ?? transaction.trails;
  if (!Array.isArray(trail)) throw new ShapeError('trail', trail === undefined);
  return trail
    .filter(isObject)
    .map((raw) => ({ kind: kindOf(raw), transaction, raw }))
    .sort((a, b) => timeOf(a) - timeOf(b));
}

function kindOf(raw: TrailEntry['raw']): TrailKind {
  if (isObject(raw.dispute)) return 'dispute';
  const movement = (['capture', 'refund', 'void'] as const).find((kind) => holds(raw, kind));
  return movement ?? 'unknown';
}

function holds(raw: TrailEntry['raw'], kind: Movement): boolean {
  try {
    return readFlag(raw, kind);
  } catch {
    return false;
  }
}

/** An entry whose date cannot be read keeps its place at the front; the field itself will tell. */
function timeOf({ raw }: TrailEntry): number {
  try {
    return readInstant(raw, 'created').getTime();
  } catch {
    return 0;
  }
}

/** What a transaction's counters and trail say may still be done, minor units of its currency. */
export function availableOf(transaction: Transaction): Record<Movement, number> {
  if (!readFlag(transaction, 'successful')) return { capture: 0, refund: 0, void: 0 };
  const pending = readInteger(transaction, 'pendingAmount');
  const totals = { capture: 0, refund: 0 };
  for (const { kind, raw } of readTrail(transaction)) {
    if (kind === 'capture' || kind === 'refund') totals[kind] += readInteger(raw, 'amount');
  }
  // From the trail, because "captured, available for refund" may fall with a refund or not.
  const refundable = Math.max(0, totals.capture - totals.refund);
  return { capture: pending, refund: refundable, void: pending };
}

/** An amount of a transaction, in its currency. */
export function transactionMoney(transaction: Transaction, minorUnits: number): Money {
  return { minorUnits, currency: readText(transaction, 'currency') };
}
