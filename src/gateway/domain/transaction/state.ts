import type { MovementKind } from '../../money/engine/operation.ts';
import type { Money } from '../../schema/amount.ts';
import { readCurrency, readInteger } from '../../upstream/record.ts';
import { readTrail, type TrailEntry } from './trail.ts';
import { isSuccessful, type Transaction } from './transaction-source.ts';

/** The state of a transaction. */
export type TransactionState =
  | 'DECLINED'
  | 'AUTHORIZED'
  | 'PARTIALLY_CAPTURED'
  | 'CAPTURED'
  | 'PARTIALLY_REFUNDED'
  | 'REFUNDED'
  | 'VOIDED'
  | 'EXPIRED';

/**
 * The state of a transaction, from its counters and its trail. The larger of the two counts: it is
 * not specified whether a refund lowers `capturedAmount`, and a counter may be written before its
 * entry. Specification: payments, "States and transitions".
 */
export function stateOf(transaction: Transaction): TransactionState {
  if (!isSuccessful(transaction)) return 'DECLINED';
  const read = (counter: `${'pending' | 'captured' | 'refunded' | 'voided'}Amount`) =>
    readInteger(transaction, counter);
  const amount = readInteger(transaction, 'amount');
  const trail = readTrail(transaction);
  const refunded = Math.max(movedBy(trail, 'REFUND'), read('refundedAmount'));
  const voided = Math.max(movedBy(trail, 'VOID'), read('voidedAmount'));
  const captured = Math.max(movedBy(trail, 'CAPTURE'), read('capturedAmount'), refunded);
  const pending = Math.min(read('pendingAmount'), Math.max(0, amount - captured - voided));
  if (captured === 0) {
    if (pending > 0) return 'AUTHORIZED';
    return voided < amount ? 'EXPIRED' : 'VOIDED';
  }
  if (refunded >= captured) return 'REFUNDED';
  if (refunded > 0) return 'PARTIALLY_REFUNDED';
  return pending > 0 ? 'PARTIALLY_CAPTURED' : 'CAPTURED';
}

/** The amount that each kind of movement can still move, in minor units. */
export function availableOf(transaction: Transaction): Record<MovementKind, number> {
  if (!isSuccessful(transaction)) return { CAPTURE: 0, REFUND: 0, VOID: 0 };
  const pending = readInteger(transaction, 'pendingAmount');
  // From the trail: it is not specified whether a refund lowers `capturedAmount`.
  const trail = readTrail(transaction);
  const refundable = Math.max(0, movedBy(trail, 'CAPTURE') - movedBy(trail, 'REFUND'));
  return { CAPTURE: pending, REFUND: refundable, VOID: pending };
}

/** The total amount that one kind of movement has moved according to a trail, in minor units. */
function movedBy(trail: readonly TrailEntry[], kind: MovementKind): number {
  return trail
    .filter((entry) => entry.kind === kind)
    .reduce((total, { raw }) => total + readInteger(raw, 'amount'), 0);
}

/** An amount in the transaction's currency. */
export function transactionMoney(transaction: Transaction, minorUnits: number): Money {
  return { minorUnits, currency: readCurrency(transaction, 'currency') };
}
