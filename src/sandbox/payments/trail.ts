import type { Queryable } from '../../database/database.ts';
import type { Environment } from '../environment.ts';
import { insertLine, ofTransaction } from './lines.ts';
import type { TrailRow, TransactionRow } from './transaction-row.ts';

/** A new entry of a trail. */
export type TrailInput = Pick<
  TrailRow,
  'kind' | 'created' | 'amount' | 'gross' | 'fee_flat' | 'fee_rate' | 'descriptor'
> &
  Partial<Pick<TrailRow, 'dispute_id' | 'outcome'>> & {
    /** The description of the line. A void has no line and so no description. */
    readonly description?: string;
  };

/**
 * Adds one entry to the trail of a transaction and, unless it is a void, its line. Date, balance
 * and fee of the two always agree because this function inserts both.
 */
export async function addToTrail(
  environment: Environment,
  tx: Queryable,
  transaction: TransactionRow,
  entry: TrailInput,
): Promise<void> {
  const { kind, created, amount, gross, fee_flat, fee_rate, descriptor } = entry;
  const balance = gross - fee_flat - fee_rate;
  const dispute_id = entry.dispute_id ?? null;
  const outcome = entry.outcome ?? null;
  const lineId =
    kind === 'void'
      ? null
      : await insertLine(environment, tx, {
          ...ofTransaction(transaction, amount),
          kind,
          created,
          balance,
          fee: fee_flat + fee_rate,
          dispute_id,
          outcome,
          description: entry.description ?? '',
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
