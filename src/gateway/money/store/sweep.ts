import type { Queryable } from '../../../database/database.ts';
import { AT_ONCE, endLeases } from './events.ts';
import type { Sweep, Swept } from './operation-store.ts';

/**
 * Whether another operation may still have to recognise the entry of this one. The snapshot of
 * an operation that was released can be older than that entry.
 */
const IS_NEEDED = `EXISTS (SELECT FROM money_operation AS other
  WHERE other.transaction_id = old.transaction_id AND other.kind = old.kind
    AND other.state IN ('PREPARED', 'SENDING', 'UNKNOWN', 'RELEASED'))`;
const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Advances the store's clock, ends expired leases, and deletes operations and events past their
 * retention, at most as many of each as one statement may. The first sweep after an operation was
 * sent, got a response or ended records the time, so that no operation writes to the clock's row.
 */
export async function sweep(tx: Queryable, { retentionDays, ownMs }: Sweep): Promise<Swept> {
  const { elapsed, clockJumpMs } = await advanceClock(tx, ownMs);
  const responded = `state = 'UNKNOWN' AND response IS NOT NULL`;
  const ended = `state IN ('RELEASED', 'SUCCEEDED', 'REJECTED', 'NOT_APPLIED')`;
  const before = elapsed - retentionDays * DAY_MS;
  const full = [
    await endLeases(tx, { where: 'true', values: [] }),
    await note(tx, 'sending_elapsed', `state IN ('SENDING', 'UNKNOWN')`, elapsed),
    await note(tx, 'responded_elapsed', responded, elapsed),
    await note(tx, 'ended_elapsed', ended, elapsed),
    await deleteOperations(tx, before),
    await deleteEvents(tx, before),
  ];
  return { clockJumpMs, isFull: full.includes(true) };
}

/** Whether a statement has changed as many rows as it may. */
async function isFull(tx: Queryable, sql: string, value: number): Promise<boolean> {
  const [{ count } = { count: 0 }] = await tx.query<{ count: number }>(
    `WITH changed AS (${sql} RETURNING 1) SELECT count(*)::integer AS count FROM changed`,
    [value],
  );
  return count >= AT_ONCE;
}

function note(tx: Queryable, column: string, where: string, elapsed: number): Promise<boolean> {
  return isFull(
    tx,
    `UPDATE money_operation SET ${column} = $1 WHERE id IN (SELECT id FROM money_operation
       WHERE ${where} AND ${column} IS NULL LIMIT ${AT_ONCE})`,
    elapsed,
  );
}

/** Deletes operations with their events but not one whose key was just repeated: it is open. */
async function deleteOperations(tx: Queryable, before: number): Promise<boolean> {
  const deleted = await tx.query<{ id: string }>(
    `DELETE FROM money_operation WHERE ended_elapsed < $1 AND id IN (
       SELECT id FROM money_operation AS old
       WHERE ended_elapsed < $1 AND NOT (state = 'SUCCEEDED' AND ${IS_NEEDED}) LIMIT ${AT_ONCE})
     RETURNING id`,
    [before],
  );
  await tx.query('DELETE FROM money_operation_event WHERE operation = ANY($1)', [
    deleted.map(({ id }) => id),
  ]);
  return deleted.length >= AT_ONCE;
}

/** Deletes events of operations that are gone. */
function deleteEvents(tx: Queryable, before: number): Promise<boolean> {
  return isFull(
    tx,
    `DELETE FROM money_operation_event WHERE seq IN (SELECT seq FROM money_operation_event
       WHERE elapsed < $1
         AND NOT EXISTS (SELECT FROM money_operation AS of WHERE of.id = operation)
       LIMIT ${AT_ONCE})`,
    before,
  );
}

interface Advanced {
  /** Milliseconds that have certainly passed since the store was created. */
  readonly elapsed: number;
  /** Milliseconds by which the database's clock was set forward or back; 0 if it was not. */
  readonly clockJumpMs: number;
}

/** Differences between the two clocks up to this are not reported. */
const TOLERANCE_MS = 60_000;

/**
 * Advances the store's clock by the time since the last sweep, as measured by the database's clock
 * or by the caller's monotonic clock, whichever is shorter. With several gateways, each sweep adds
 * only the time since the last sweep of any of them.
 */
async function advanceClock(tx: Queryable, ownMs: number): Promise<Advanced> {
  const [row] = await tx.query<{ elapsed: number; delta: number }>(
    `SELECT elapsed, (EXTRACT(EPOCH FROM now() - swept_at) * 1000)::float8 AS delta
     FROM store_clock FOR UPDATE`,
  );
  if (row === undefined) throw new Error('The store has no clock.');
  const elapsed = row.elapsed + Math.round(Math.max(0, Math.min(ownMs, row.delta)));
  await tx.query('UPDATE store_clock SET elapsed = $1, swept_at = now()', [elapsed]);
  const isBack = row.delta < -TOLERANCE_MS;
  // The database's clock cannot be compared with that of a process that has just started.
  const isForward = ownMs > 0 && row.delta - ownMs > TOLERANCE_MS;
  return { elapsed, clockJumpMs: isBack || isForward ? Math.round(row.delta - ownMs) : 0 };
}
