import type { Queryable } from '../../../database/database.ts';
import { endLeases } from './leases.ts';

/** Rows deleted by one sweep, so that its statements stay within their time limit. */
const DELETED_AT_ONCE = 1_000;

/** Ends every expired lease, and deletes some operations and events past their retention. */
export async function sweep(tx: Queryable, retentionDays: number): Promise<void> {
  await endLeases(tx, { where: 'true', values: [] });
  const deleted = await tx.query<{ id: string }>(
    `DELETE FROM money_operation WHERE id IN (SELECT id FROM money_operation
       WHERE resolved_at < now() - $1 * interval '1 day' LIMIT ${DELETED_AT_ONCE})
     RETURNING id`,
    [retentionDays],
  );
  await tx.query('DELETE FROM money_operation_event WHERE operation = ANY($1)', [
    deleted.map(({ id }) => id),
  ]);
  await tx.query(
    `DELETE FROM money_operation_event WHERE seq IN (SELECT seq FROM money_operation_event
       WHERE at < now() - $1 * interval '1 day'
         AND NOT EXISTS (SELECT FROM money_operation AS of WHERE of.id = operation)
       LIMIT ${DELETED_AT_ONCE})`,
    [retentionDays],
  );
}
