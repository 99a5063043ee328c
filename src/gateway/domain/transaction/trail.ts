import type { MovementKind } from '../../money/engine/operation.ts';
import {
  isFlagged,
  isObject,
  type RestRecord,
  readInstant,
  readList,
} from '../../upstream/record.ts';
import type { Transaction } from './transaction-source.ts';

/** What a trail entry records; UNKNOWN for a kind that this gateway does not know. */
export type TrailKind = MovementKind | 'DISPUTE' | 'UNKNOWN';

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

/**
 * The trail of a transaction, oldest first. Entries with the same time keep the service's order.
 */
export function readTrail(transaction: Transaction): TrailEntry[] {
  // The specification uses both names.
  const trail = transaction.trail ?? transaction.trails;
  return readList({ trail }, 'trail')
    .filter(isObject)
    .map((raw) => ({ kind: kindOf(raw), transaction, raw }))
    .sort((a, b) => timeOf(a) - timeOf(b));
}

/** What a trail entry records. */
function kindOf(raw: TrailEntry['raw']): TrailKind {
  if (isObject(raw.dispute)) return 'DISPUTE';
  if (isFlagged(raw, 'capture')) return 'CAPTURE';
  if (isFlagged(raw, 'refund')) return 'REFUND';
  return isFlagged(raw, 'void') ? 'VOID' : 'UNKNOWN';
}

/** An entry whose date cannot be read is sorted first; its field `createdAt` reports the error. */
function timeOf({ raw }: TrailEntry): number {
  try {
    return readInstant(raw, 'created').getTime();
  } catch {
    return 0;
  }
}
