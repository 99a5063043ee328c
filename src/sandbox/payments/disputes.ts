import type { Queryable } from '../../database/database.ts';
import { type Environment, nextId } from '../environment.ts';
import { disputeFee } from './exchange.ts';
import { insertLine } from './lines.ts';
import { lockTransaction } from './locks.ts';
import { addToTrail } from './trail.ts';
import type { TransactionRow } from './transaction-row.ts';

/** The one reason this sandbox's disputes have. */
export const disputeReason = {
  code: 30,
  title: 'Services not provided or merchandise not received',
};

/** A dispute as it is stored. `gross` is the disputed capture in the funding currency. */
export interface DisputeRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly transaction_id: string;
  readonly created: Date;
  readonly amount: number;
  readonly gross: number;
  readonly verdict: 'won' | 'lost' | null;
}

/**
 * Opens a dispute over a capture if the card is one of those that dispute. No money
 * moves yet: the line says so with a balance of 0.
 */
export async function openDispute(
  environment: Environment,
  tx: Queryable,
  row: TransactionRow,
  capture: { amount: number; gross: number },
): Promise<void> {
  const [kind, ending] = row.card_behaviour.split(':');
  if (kind !== 'dispute') return;
  const verdict = ending === 'open' ? null : ending;
  const created = environment.clock();
  const id = await nextId(environment, tx);
  await tx.query(
    `INSERT INTO dispute (id, merchant_id, transaction_id, created, amount, gross, verdict, verdict_due)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      id,
      row.merchant_id,
      row.id,
      created,
      capture.amount,
      capture.gross,
      verdict,
      verdict === null ? null : new Date(created.getTime() + environment.disputeDelayMs),
    ],
  );
  await tx.query('UPDATE transaction SET disputed = disputed + $2 WHERE id = $1', [
    row.id,
    capture.amount,
  ]);
  await insertLine(environment, tx, row, {
    kind: 'dispute',
    created,
    balance: 0,
    fee: 0,
    amount: capture.amount,
    dispute_id: id,
    description: disputeReason.title,
  });
}

/** Gives every dispute whose time has come its outcome. Safe to run at once in two processes. */
export async function settleDisputes(environment: Environment): Promise<void> {
  for (const dispute of await dueDisputes(environment, environment.database)) {
    await environment.database.transaction((tx) => settle(environment, tx, dispute));
  }
}

/** {@link settleDisputes} inside a database transaction of the caller's. */
export async function settleDisputesWithin(environment: Environment, tx: Queryable): Promise<void> {
  for (const dispute of await dueDisputes(environment, tx)) await settle(environment, tx, dispute);
}

function dueDisputes(environment: Environment, database: Queryable): Promise<DisputeRow[]> {
  return database.query<DisputeRow>(
    'SELECT * FROM dispute WHERE NOT settled AND verdict_due <= $1 ORDER BY id',
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
  const [merchant] = await tx.query<{ currency: string }>(
    'SELECT currency FROM merchant WHERE id = $1',
    [dispute.merchant_id],
  );
  const lost = dispute.verdict === 'lost';
  await addToTrail(environment, tx, row, {
    kind: 'dispute',
    created: environment.clock(),
    amount: dispute.amount,
    gross: lost ? -dispute.gross : 0,
    fee_flat: lost ? disputeFee(merchant?.currency ?? '') : 0,
    fee_rate: 0,
    descriptor: null,
    dispute_id: dispute.id,
    outcome: dispute.verdict,
    description: disputeReason.title,
  });
}
