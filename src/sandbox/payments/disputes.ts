import { z } from 'zod';
import type { Queryable } from '../../database/database.ts';
import { type Environment, nextId } from '../environment.ts';
import { amount } from '../http/fields.ts';
import type { DescribedRoute } from '../http/operation.ts';
import { disputeFee } from './exchange.ts';
import { date, id } from './fields.ts';
import { addToTrail, insertLine, ofTransaction } from './lines.ts';
import { fundingCurrency } from './merchant-row.ts';
import { readOnlyRoutes } from './read-only-routes.ts';
import { lockTransaction } from './rows.ts';
import type { TransactionRow } from './transaction-row.ts';

/** Why a customer disputes a payment. */
export interface DisputeReason {
  readonly code: number;
  readonly title: string;
}

/** The reason of every dispute that a test card opens. */
export const usualReason: DisputeReason = {
  code: 30,
  title: 'Services not provided or merchandise not received',
};

/** The time in which a merchant must respond to a dispute. */
export const DUE_AFTER_MS = 14 * 24 * 3600 * 1000;

/** A stored dispute. */
interface DisputeRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly transaction_id: string;
  readonly created: Date;
  /** The disputed capture in minor units of the transaction's currency. */
  readonly amount: number;
  /** The disputed capture in minor units of the funding currency. */
  readonly gross: number;
  /** The outcome that the dispute gets once it is due. Null if it stays open. */
  readonly verdict: 'won' | 'lost' | null;
  /** Null, like the title, if the dispute has no reason. */
  readonly reason_code: number | null;
  readonly reason_title: string | null;
  readonly due: Date | null;
}

/** A dispute to open. */
export interface DisputeInput {
  /** Minor units of the transaction's currency. */
  readonly amount: number;
  /** Minor units of the funding currency, which the merchant loses with the dispute. */
  readonly gross: number;
  readonly reason: DisputeReason | undefined;
  readonly due: Date | undefined;
  /** The outcome and when the dispute gets it; left out if the dispute stays open. */
  readonly verdict?: { readonly outcome: 'won' | 'lost'; readonly at: Date };
}

const Dispute = z
  .object({
    ...{ id, merchantId: id, transactionId: id, created: date, amount },
    reason: z.object({ code: z.int(), title: z.string() }).optional(),
    due: date.optional(),
  })
  .meta({ id: 'Dispute' });

/** Lists and returns disputes. */
export function disputeRoutes(environment: Environment): DescribedRoute[] {
  return readOnlyRoutes<DisputeRow>(environment, {
    name: 'dispute',
    noun: 'dispute',
    path: '/disputes',
    table: 'dispute',
    schema: Dispute,
    show: showDispute,
  });
}

function showDispute(row: DisputeRow) {
  return {
    id: row.id,
    merchantId: row.merchant_id,
    transactionId: row.transaction_id,
    created: row.created,
    amount: row.amount,
    ...(row.reason_code === null
      ? {}
      : { reason: { code: row.reason_code, title: row.reason_title } }),
    ...(row.due === null ? {} : { due: row.due }),
  };
}

/** Opens a dispute over a capture if the test card causes disputes. */
export async function disputeCapture(
  environment: Environment,
  tx: Queryable,
  row: TransactionRow,
  capture: { amount: number; gross: number },
): Promise<void> {
  const [kind, outcome] = row.card_behaviour.split(':');
  if (kind !== 'dispute') return;
  const created = environment.clock().getTime();
  const at = new Date(created + environment.disputeDelayMs);
  await openDispute(environment, tx, row, {
    ...capture,
    reason: usualReason,
    due: new Date(created + DUE_AFTER_MS),
    ...(outcome === 'won' || outcome === 'lost' ? { verdict: { outcome, at } } : {}),
  });
}

/**
 * Opens a dispute and returns its id. No money moves yet, so its line has a balance of 0. The
 * caller must have locked the transaction.
 */
export async function openDispute(
  environment: Environment,
  tx: Queryable,
  row: TransactionRow,
  { amount, gross, reason, due, verdict }: DisputeInput,
): Promise<string> {
  const created = environment.clock();
  const id = await nextId(environment, tx);
  await tx.query(
    `INSERT INTO dispute (id, merchant_id, transaction_id, created, amount, gross, verdict,
      verdict_due, reason_code, reason_title, due)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      id,
      row.merchant_id,
      row.id,
      created,
      amount,
      gross,
      verdict?.outcome ?? null,
      verdict?.at ?? null,
      reason?.code ?? null,
      reason?.title ?? null,
      due ?? null,
    ],
  );
  await tx.query('UPDATE transaction SET disputed = disputed + $2 WHERE id = $1', [row.id, amount]);
  await insertLine(environment, tx, {
    ...ofTransaction(row, amount),
    kind: 'dispute',
    created,
    balance: 0,
    fee: 0,
    dispute_id: id,
    description: reason?.title ?? '',
  });
  return id;
}

/** Gives every due dispute its outcome. Two processes may call it at the same time. */
export async function settleDisputes(environment: Environment): Promise<void> {
  for (const dispute of await dueDisputes(environment, environment.database)) {
    await environment.database.transaction((tx) => settle(environment, tx, dispute));
  }
}

/** Does the same as {@link settleDisputes} inside a database transaction of the caller. */
export async function settleDisputesWithin(environment: Environment, tx: Queryable): Promise<void> {
  for (const dispute of await dueDisputes(environment, tx)) {
    await settle(environment, tx, dispute);
  }
}

/**
 * Makes an outcome due now. Returns false if the dispute has its outcome already. The caller
 * settles it.
 */
export async function decideDispute(
  { database, clock }: Environment,
  id: string,
  outcome: 'won' | 'lost',
): Promise<boolean> {
  const decided = await database.query(
    'UPDATE dispute SET verdict = $2, verdict_due = $3 WHERE id = $1 AND NOT settled RETURNING id',
    [id, outcome, clock()],
  );
  return decided.length > 0;
}

/** When the next dispute gets its outcome; undefined if none is waiting for one. */
export async function nextOutcome(database: Queryable): Promise<Date | undefined> {
  const [{ next } = { next: null }] = await database.query<{ next: Date | null }>(
    'SELECT min(verdict_due) AS next FROM dispute WHERE NOT settled',
  );
  return next ?? undefined;
}

function dueDisputes(environment: Environment, database: Queryable): Promise<DisputeRow[]> {
  return database.query<DisputeRow>(
    'SELECT * FROM dispute WHERE NOT settled AND verdict_due <= $1 ORDER BY verdict_due, id',
    [environment.clock()],
  );
}

async function settle(environment: Environment, tx: Queryable, dispute: DisputeRow): Promise<void> {
  const row = await lockTransaction(tx, {
    id: dispute.transaction_id,
    merchant_id: dispute.merchant_id,
  });
  const claimed = await tx.query(
    'UPDATE dispute SET settled = true WHERE id = $1 AND NOT settled RETURNING id',
    [dispute.id],
  );
  if (claimed.length === 0) return;
  const lost = dispute.verdict === 'lost';
  await addToTrail(environment, tx, row, {
    kind: 'dispute',
    created: environment.clock(),
    amount: dispute.amount,
    gross: lost ? -dispute.gross : 0,
    fee_flat: lost ? disputeFee(await fundingCurrency(tx, row)) : 0,
    fee_rate: 0,
    descriptor: null,
    dispute_id: dispute.id,
    outcome: dispute.verdict,
    description: dispute.reason_title ?? '',
  });
}
