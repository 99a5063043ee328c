import type { Money } from '../graphql/money.ts';
import type { MovementKind } from '../operation/operation.ts';
import { readInteger, readText } from '../rest/record.ts';
import { readTrail } from './trail.ts';
import { isSuccessful, type Transaction } from './transaction-source.ts';

/** The amount that each kind of movement can still move, in minor units. */
export function availableOf(transaction: Transaction): Record<MovementKind, number> {
  if (!isSuccessful(transaction)) return { CAPTURE: 0, REFUND: 0, VOID: 0 };
  const pending = readInteger(transaction, 'pendingAmount');
  const totals = { CAPTURE: 0, REFUND: 0 };
  for (const { kind, raw } of readTrail(transaction)) {
    if (kind === 'CAPTURE' || kind === 'REFUND') totals[kind] += readInteger(raw, 'amount');
  }
  // From the trail: it is not specified whether a refund lowers `capturedAmount`.
  const refundable = Math.max(0, totals.CAPTURE - totals.REFUND);
  return { CAPTURE: pending, REFUND: refundable, VOID: pending };
}

/** An amount in the transaction's currency. */
export function transactionMoney(transaction: Transaction, minorUnits: number): Money {
  return { minorUnits, currency: readText(transaction, 'currency') };
}
