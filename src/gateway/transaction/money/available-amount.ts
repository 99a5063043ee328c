import { formatMoney } from '../../graphql/amount.ts';
import type { AmountRejection, MovementKind } from '../../operation/operation.ts';
import { availableOf, transactionMoney } from '../amounts.ts';
import type { Transaction } from '../transaction-source.ts';

const verbs = { CAPTURE: 'capture', REFUND: 'refund', VOID: 'void' } as const;

/** Why an amount is larger than the available amount; null if it is not. In minor units. */
export function checkAvailable(
  transaction: Transaction,
  kind: MovementKind,
  amount: number,
): AmountRejection | null {
  const available = availableOf(transaction)[kind];
  if (amount <= available) return null;
  const maximum = transactionMoney(transaction, available);
  const message = `You can ${verbs[kind]} at most ${formatMoney(maximum)}.`;
  return { code: 'AMOUNT_TOO_LARGE', message, maximum };
}
