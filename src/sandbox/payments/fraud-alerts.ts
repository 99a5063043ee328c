import type { Queryable } from '../../database/database.ts';
import { type Environment, nextId } from '../environment.ts';
import type { TransactionRow } from './transaction-row.ts';

/** "Fraudulent usage" of the published codes. */
const REASON = 1;

/** Files a fraud alert on a transaction's first capture if the card is the one that brings it. */
export async function fileFraudAlert(
  environment: Environment,
  tx: Queryable,
  row: TransactionRow,
): Promise<void> {
  if (row.card_behaviour !== 'fraud' || row.captured > 0) return;
  await tx.query(
    'INSERT INTO fraud_alert (id, merchant_id, transaction_id, created, reason) VALUES ($1, $2, $3, $4, $5)',
    [await nextId(environment, tx), row.merchant_id, row.id, environment.clock(), REASON],
  );
}
