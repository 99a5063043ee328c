import { z } from 'zod';
import type { Queryable } from '../../database/database.ts';
import { type Environment, nextId } from '../environment.ts';
import type { DescribedRoute } from '../http/operation.ts';
import { date, id } from './fields.ts';
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
  /** When the customer reported the fraud. Null if it is not known. */
  readonly reported: Date | null;
  /** A code of the specification, from 0 to 8. Null if it is not known. */
  readonly reason: number | null;
}

const FraudAlert = z
  .object({
    ...{ id, merchantId: id, transactionId: id, created: date },
    reported: date.optional(),
    reason: z.int().min(0).max(8).optional(),
  })
  .meta({ id: 'FraudAlert' });

/** Lists and returns fraud alerts. */
export function fraudAlertRoutes(environment: Environment): DescribedRoute[] {
  return readOnlyRoutes<FraudAlertRow>(environment, {
    name: 'fraud',
    noun: 'fraud alert',
    path: '/frauds',
    table: 'fraud_alert',
    schema: FraudAlert,
    show: showFraudAlert,
  });
}

function showFraudAlert(row: FraudAlertRow) {
  return {
    id: row.id,
    merchantId: row.merchant_id,
    transactionId: row.transaction_id,
    created: row.created,
    ...(row.reported === null ? {} : { reported: row.reported }),
    ...(row.reason === null ? {} : { reason: row.reason }),
  };
}

/** Files a fraud alert on the first capture of a transaction if the test card causes one. */
export async function reportCapture(
  environment: Environment,
  tx: Queryable,
  row: TransactionRow,
): Promise<void> {
  const [kind, detail] = row.card_behaviour.split(':');
  if (kind !== 'fraud' || row.captured > 0) return;
  const code = detail !== undefined && /^[0-8]$/.test(detail) ? Number(detail) : REASON;
  await fileFraudAlert(environment, tx, row, {
    reported: detail === 'unreported' ? undefined : environment.clock(),
    reason: detail === 'unexplained' ? undefined : code,
  });
}

/**
 * Files a fraud alert over a transaction and returns its id; undefined if the transaction has one
 * already. It changes nothing else.
 */
export async function fileFraudAlert(
  environment: Environment,
  tx: Queryable,
  row: TransactionRow,
  { reported, reason }: { reported: Date | undefined; reason: number | undefined },
): Promise<string | undefined> {
  const rows = await tx.query<{ id: string }>(
    `INSERT INTO fraud_alert (id, merchant_id, transaction_id, created, reported, reason)
      VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (transaction_id) DO NOTHING RETURNING id`,
    [
      await nextId(environment, tx),
      row.merchant_id,
      row.id,
      environment.clock(),
      reported ?? null,
      reason ?? null,
    ],
  );
  return rows[0]?.id;
}
