import type { Queryable } from '../../../database/database.ts';
import { AT_ONCE, endLeases } from './leases.ts';
import type { Sweep, Swept } from './operation-store.ts';
import { advanceClock } from './store-clock.ts';

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
 * retention, of each as many as one statement may. The first sweep after an operation was sent,
 * got a response or ended notes the time: so no operation changes the row of the clock.
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

/** Deletes operations with their events. One whose key was just repeated has not ended any more. */
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
