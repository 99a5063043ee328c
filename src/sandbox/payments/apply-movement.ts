import type { Queryable } from '../../database/database.ts';
import type { Environment } from '../environment.ts';
import { singleRow } from '../single-row.ts';
import { refundShare } from './amounts.ts';
import { disputeCapture } from './disputes.ts';
import { exchange, flatFee, rateFee } from './exchange.ts';
import { reportCapture } from './fraud-alerts.ts';
import { addToTrail } from './trail.ts';
import { type TransactionRow, trailsOf } from './transaction-row.ts';

/** The three movements of a transaction's money. */
export type MovementKind = 'capture' | 'refund' | 'void';

/** The fields of a movement. `amount` is minor units of the transaction's currency. */
export interface MovementInput {
  readonly amount: number;
  readonly currency?: string | undefined;
  readonly descriptor?: string | undefined;
}

const apply = { capture, refund, void: voidPending };

/**
 * Applies a movement and returns the changed transaction. Counters, trail, line and balance
 * change together. The caller must have locked the transaction and checked that the movement
 * fits.
 */
export async function applyMovement(
  environment: Environment,
  tx: Queryable,
  row: TransactionRow,
  kind: MovementKind,
  input: MovementInput,
): Promise<TransactionRow> {
  await apply[kind](environment, tx, row, input);
  const rows = await tx.query<TransactionRow>('SELECT * FROM transaction WHERE id = $1', [row.id]);
  return singleRow(rows);
}

async function capture(
  environment: Environment,
  tx: Queryable,
  row: TransactionRow,
  input: MovementInput,
): Promise<void> {
  const funding = await fundingCurrency(tx, row);
  const gross = exchange(input.amount, row.currency, funding);
  const descriptor = input.descriptor || row.descriptor;
  await tx.query('UPDATE transaction SET captured = captured + $2 WHERE id = $1', [
    row.id,
    input.amount,
  ]);
  await addToTrail(environment, tx, row, {
    kind: 'capture',
    created: environment.clock(),
    amount: input.amount,
    gross,
    fee_flat: flatFee(funding),
    fee_rate: rateFee(gross),
    descriptor,
    description: descriptor,
  });
  await disputeCapture(environment, tx, row, { amount: input.amount, gross });
  await reportCapture(environment, tx, row);
}

async function refund(
  environment: Environment,
  tx: Queryable,
  row: TransactionRow,
  input: MovementInput,
): Promise<void> {
  const trail = (await trailsOf(tx, [row.id])).get(row.id) ?? [];
  const sum = (kind: string, column: 'gross' | 'fee_rate') =>
    trail.reduce((total, entry) => total + (entry.kind === kind ? entry[column] : 0), 0);
  const { taken, returned } = refundShare(
    {
      captured: row.captured,
      gross: sum('capture', 'gross'),
      rate: sum('capture', 'fee_rate'),
      grossTaken: -sum('refund', 'gross'),
      rateReturned: -sum('refund', 'fee_rate'),
    },
    row.refunded + input.amount,
  );
  const descriptor = input.descriptor || row.descriptor;
  await tx.query('UPDATE transaction SET refunded = refunded + $2 WHERE id = $1', [
    row.id,
    input.amount,
  ]);
  await addToTrail(environment, tx, row, {
    kind: 'refund',
    created: environment.clock(),
    amount: input.amount,
    gross: 0 - taken,
    fee_flat: 0,
    fee_rate: 0 - returned,
    descriptor,
    description: descriptor,
  });
}

async function voidPending(
  environment: Environment,
  tx: Queryable,
  row: TransactionRow,
  input: MovementInput,
): Promise<void> {
  await tx.query('UPDATE transaction SET voided = voided + $2 WHERE id = $1', [
    row.id,
    input.amount,
  ]);
  await addToTrail(environment, tx, row, {
    kind: 'void',
    created: environment.clock(),
    amount: input.amount,
    gross: 0,
    fee_flat: 0,
    fee_rate: 0,
    descriptor: null,
  });
}

async function fundingCurrency(tx: Queryable, row: TransactionRow): Promise<string> {
  const rows = await tx.query<{ currency: string }>('SELECT currency FROM merchant WHERE id = $1', [
    row.merchant_id,
  ]);
  return singleRow(rows).currency;
}
