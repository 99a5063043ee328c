import type { Queryable } from '../../../database/database.ts';
import { endLeases } from './leases.ts';
import type { Sweep, Swept } from './operation-store.ts';
import { advanceClock } from './store-clock.ts';

/** Rows changed or deleted by one statement, so that it stays within its time limit. */
const AT_ONCE = 1_000;
/**
 * Whether another operation may still have to recognise the entry of this one. The snapshot of
 * an operation that was released can be older than that entry.
 */
const IS_NEEDED = `EXISTS (SELECT FROM money_operation AS other
  WHERE other.transaction_id = old.transaction_id AND other.kind = old.kind
    AND other.state IN ('PREPARED', 'SENDING', 'UNKNOWN', 'RELEASED'))`;
const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Advances the store's clock, ends every expired lease, and deletes some operations and events
 * past their retention. The first sweep after an operation was sent, got a response or ended
 * notes the time: so no operation changes the row of the clock.
 */
export async function sweep(tx: Queryable, { retentionDays, ownMs }: Sweep): Promise<Swept> {
  const { elapsed, clockJumpMs } = await advanceClock(tx, ownMs);
  await endLeases(tx, { where: 'true', values: [] });
  await note(tx, 'sending_elapsed', `state IN ('SENDING', 'UNKNOWN')`, elapsed);
  const responded = `state = 'UNKNOWN' AND response IS NOT NULL`;
  await note(tx, 'responded_elapsed', responded, elapsed);
  const ended = `state IN ('RELEASED', 'SUCCEEDED', 'REJECTED', 'NOT_APPLIED')`;
  await note(tx, 'ended_elapsed', ended, elapsed);
  const before = elapsed - retentionDays * DAY_MS;
  const deleted = await tx.query<{ id: string }>(
    `DELETE FROM money_operation WHERE id IN (SELECT id FROM money_operation AS old
       WHERE ended_elapsed < $1 AND NOT (state = 'SUCCEEDED' AND ${IS_NEEDED}) LIMIT ${AT_ONCE})
     RETURNING id`,
    [before],
  );
  await tx.query('DELETE FROM money_operation_event WHERE operation = ANY($1)', [
    deleted.map(({ id }) => id),
  ]);
  await tx.query(
    `DELETE FROM money_operation_event WHERE seq IN (SELECT seq FROM money_operation_event
       WHERE elapsed < $1
         AND NOT EXISTS (SELECT FROM money_operation AS of WHERE of.id = operation)
       LIMIT ${AT_ONCE})`,
    [before],
  );
  return { clockJumpMs };
}

async function note(tx: Queryable, column: string, where: string, elapsed: number): Promise<void> {
  await tx.query(
    `UPDATE money_operation SET ${column} = $1 WHERE id IN (SELECT id FROM money_operation
       WHERE ${where} AND ${column} IS NULL LIMIT ${AT_ONCE})`,
    [elapsed],
  );
}
