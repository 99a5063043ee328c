import type { MovementKind } from '../../money/engine/operation.ts';
import type { Money } from '../../schema/amount.ts';
import { readCurrency, readInteger } from '../../upstream/record.ts';
import { readTrail, type TrailEntry } from './trail.ts';
import { isSuccessful, type Transaction } from './transaction-source.ts';

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
export function movedBy(trail: readonly TrailEntry[], kind: MovementKind): number {
  return trail
    .filter((entry) => entry.kind === kind)
    .reduce((total, { raw }) => total + readInteger(raw, 'amount'), 0);
}

/** An amount in the transaction's currency. */
export function transactionMoney(transaction: Transaction, minorUnits: number): Money {
  return { minorUnits, currency: readCurrency(transaction, 'currency') };
}
