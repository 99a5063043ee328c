import type { Queryable } from '../../database/database.ts';
import type { Environment } from '../environment.ts';
import { insertLine } from './lines.ts';
import type { TrailRow, TransactionRow } from './transaction-row.ts';

/** A movement of money on a transaction, about to be written down. */
export type Movement = Pick<
  TrailRow,
  'kind' | 'created' | 'amount' | 'gross' | 'fee_flat' | 'fee_rate' | 'descriptor'
> &
  Partial<Pick<TrailRow, 'dispute_id' | 'outcome'>> & {
    /** What the line says; a movement without one (a void) has no line. */
    readonly description?: string;
  };

/**
 * Adds one entry to the trail and, for all but voids, the line that belongs to it.
 * The two agree in date, balance and fee because they are written here together.
 */
export async function addToTrail(
  environment: Environment,
  tx: Queryable,
  transaction: TransactionRow,
  movement: Movement,
): Promise<void> {
  const { kind, created, amount, gross, fee_flat, fee_rate, descriptor } = movement;
  const balance = gross - fee_flat - fee_rate;
  const dispute_id = movement.dispute_id ?? null;
  const outcome = movement.outcome ?? null;
  const lineId =
    kind === 'void'
      ? null
      : await insertLine(environment, tx, transaction, {
          kind,
          created,
          amount,
          balance,
          fee: fee_flat + fee_rate,
          dispute_id,
          outcome,
          description: movement.description ?? '',
        });
  await tx.query(
    `INSERT INTO trail_entry (transaction_id, kind, created, amount, gross, fee_flat, fee_rate,
      balance, descriptor, line_id, dispute_id, outcome)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
    [
      transaction.id,
      kind,
      created,
      amount,
      gross,
      fee_flat,
      fee_rate,
      balance,
      descriptor,
      lineId,
      dispute_id,
      outcome,
    ],
  );
}
