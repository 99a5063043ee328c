import type { Queryable } from '../../database/database.ts';
import { type Environment, nextId } from '../environment.ts';
import type { Route } from '../http/router.ts';
import { readOnlyRoutes } from './read-only-routes.ts';
import type { TransactionRow } from './transaction-row.ts';

/** "Fraudulent usage" in the published list of reasons. */
const REASON = 1;

/** A stored fraud alert. */
interface FraudAlertRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly transaction_id: string;
  readonly created: Date;
  readonly reason: number;
}

/** Lists and returns fraud alerts. */
export function fraudAlertRoutes(environment: Environment): Route[] {
  return readOnlyRoutes<FraudAlertRow>(environment, {
    name: 'fraud',
    path: '/frauds',
    table: 'fraud_alert',
    show: showFraudAlert,
  });
}

function showFraudAlert(row: FraudAlertRow) {
  return {
    id: row.id,
    merchantId: row.merchant_id,
    transactionId: row.transaction_id,
    created: row.created,
    reported: row.created,
    reason: row.reason,
  };
}

/** Files a fraud alert on the first capture of a transaction if the test card causes one. */
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
