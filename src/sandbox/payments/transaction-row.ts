import { z } from 'zod';
import type { Queryable } from '../../database/database.ts';
import { amount, flag, object } from '../http/fields.ts';
import { pendingOf } from './amounts.ts';
import {
  cardDigits,
  counter,
  date,
  descriptor,
  id,
  knownCurrency,
  minorUnits,
  yes,
} from './fields.ts';
import { errorFields, processingErrors } from './processing-errors.ts';

/** A stored transaction. Its counters are minor units of its currency. */
export interface TransactionRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly test: boolean;
  readonly created: Date;
  readonly currency: string;
  readonly amount: number;
  readonly captured: number;
  readonly refunded: number;
  readonly voided: number;
  readonly disputed: number;
  readonly descriptor: string;
  readonly card_bin: string;
  readonly card_last4: string;
  readonly card_expiry: Date;
  readonly card_scheme: string;
  readonly card_behaviour: string;
  readonly code_present: boolean;
  readonly tds: string;
  readonly custom: unknown;
  readonly recurring: boolean;
  readonly error_code: number | null;
}

/** One stored entry of a transaction's trail. */
export interface TrailRow {
  readonly transaction_id: string;
  readonly kind: 'capture' | 'refund' | 'void' | 'dispute';
  readonly created: Date;
  readonly amount: number;
  readonly gross: number;
  readonly fee_flat: number;
  readonly fee_rate: number;
  readonly balance: number;
  readonly descriptor: string | null;
  readonly line_id: string | null;
  readonly dispute_id: string | null;
  readonly outcome: 'won' | 'lost' | null;
}

/** A trail entry of one kind. `kind` has the properties that only entries of this kind have. */
function trailEntry<Kind extends Record<string, z.ZodType>>(kind: Kind) {
  const fee = z.object({ flat: minorUnits, rate: minorUnits });
  return z.object({ fee, amount: counter, balance: minorUnits, created: date, ...kind });
}

const TrailEntry = z
  .xor([
    trailEntry({ capture: yes, descriptor, lineId: id }),
    trailEntry({ refund: yes, descriptor, lineId: id }),
    trailEntry({ void: yes }),
    trailEntry({
      dispute: z.xor([z.object({ id, won: yes }), z.object({ id, lost: yes })]),
      lineId: id,
    }),
  ])
  .meta({ id: 'TrailEntry' });

/** A transaction in a response. */
export const Transaction = z
  .object({
    id,
    test: flag,
    merchantId: id,
    created: date,
    amount,
    refundedAmount: counter,
    capturedAmount: counter,
    voidedAmount: counter,
    pendingAmount: counter,
    disputedAmount: counter,
    card: z.object({ ...cardDigits, expiry: date, code: z.object({ present: flag }) }),
    tds: z.enum(['none', 'attempt', 'full']),
    currency: knownCurrency,
    custom: object.nullable(),
    recurring: flag,
    successful: flag,
    error: z.xor([z.literal(false), z.object(errorFields)]),
    descriptor,
    trail: z.array(TrailEntry),
  })
  .meta({ id: 'Transaction' });

/** Returns a transaction by id, without checking access. */
export async function transactionById(
  database: Queryable,
  id = '',
): Promise<TransactionRow | undefined> {
  const [row] = await database.query<TransactionRow>('SELECT * FROM transaction WHERE id = $1', [
    id,
  ]);
  return row;
}

/**
 * Returns the trails of several transactions, oldest entry first. The lateral join reads one
 * trail after another. PGlite has no statistics of its tables, so with `= ANY` it would read
 * every trail there is.
 */
export async function trailsOf(
  database: Queryable,
  transactionIds: readonly string[],
): Promise<Map<string, TrailRow[]>> {
  const rows = await database.query<TrailRow>(
    `SELECT entry.* FROM unnest($1::text[]) AS asked (id) CROSS JOIN LATERAL
      (SELECT * FROM trail_entry WHERE transaction_id = asked.id ORDER BY seq) AS entry`,
    [transactionIds],
  );
  const trails = new Map<string, TrailRow[]>(transactionIds.map((id) => [id, []]));
  for (const row of rows) trails.get(row.transaction_id)?.push(row);
  return trails;
}

/** Returns transactions as they appear in responses, in the given order. */
export async function showTransactions(database: Queryable, rows: readonly TransactionRow[]) {
  const trails = await trailsOf(
    database,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => showWithTrail(row, trails.get(row.id) ?? []));
}

/** Returns a transaction as it appears in responses. Specification: payments, "Transaction". */
export async function showTransaction(database: Queryable, row: TransactionRow) {
  const [shown] = await showTransactions(database, [row]);
  return shown;
}

function showWithTrail(row: TransactionRow, trail: readonly TrailRow[]) {
  const failed = row.error_code !== null;
  return {
    id: row.id,
    test: row.test,
    merchantId: row.merchant_id,
    created: row.created,
    amount: row.amount,
    refundedAmount: row.refunded,
    capturedAmount: row.captured,
    voidedAmount: row.voided,
    pendingAmount: pendingOf(row),
    disputedAmount: row.disputed,
    card: {
      bin: row.card_bin,
      last4: row.card_last4,
      expiry: row.card_expiry,
      code: { present: row.code_present },
      scheme: row.card_scheme,
    },
    tds: row.tds,
    currency: row.currency,
    custom: row.custom,
    recurring: row.recurring,
    successful: !failed,
    error: row.error_code === null ? false : processingErrors.get(row.error_code),
    descriptor: row.descriptor,
    trail: trail.map(showEntry),
  };
}

function showEntry(row: TrailRow) {
  const common = {
    fee: { flat: row.fee_flat, rate: row.fee_rate },
    amount: row.amount,
    balance: row.balance,
    created: row.created,
  };
  if (row.kind === 'void') return { ...common, void: true };
  if (row.kind === 'dispute') {
    const dispute = { id: row.dispute_id, ...(row.outcome && { [row.outcome]: true }) };
    return { ...common, dispute, lineId: row.line_id };
  }
  return { ...common, [row.kind]: true, descriptor: row.descriptor, lineId: row.line_id };
}
