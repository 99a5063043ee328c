import type { Database, Queryable } from '../../../database/database.ts';
import type { OperationIn, Snapshot } from '../operation.ts';
import { addEvent, toJsonb } from './events.ts';
import { COLUMNS, inState, type OperationRow } from './operation-row.ts';
import type { Held } from './operation-store.ts';

/** PREPARED to SENDING, for the first POST. Undefined if the claim was lost. */
export async function startSending(
  database: Database,
  { id, epoch }: Held,
  snapshot: Snapshot,
  lease: string,
): Promise<OperationIn<'SENDING'> | undefined> {
  const [row] = await database.prepared<OperationRow>(
    `WITH sending AS (
       UPDATE money_operation SET state = 'SENDING', snapshot = $3, posts = 1,
         sending_at = now(), lease_until = ${lease}
       WHERE id = $1 AND epoch = $2 AND state = 'PREPARED' RETURNING *
     ), event AS (
       INSERT INTO money_operation_event
         (operation, from_state, to_state, epoch, detail, elapsed)
       SELECT sending.id, 'PREPARED', 'SENDING', sending.epoch, '{}', store_clock.elapsed
       FROM sending, store_clock
     ) SELECT ${COLUMNS} FROM sending`,
    [id, epoch, toJsonb(snapshot)],
  );
  return row && inState('SENDING', row);
}

/** UNKNOWN to SENDING, for another POST. Undefined if another process changed it first. */
export async function repost(
  tx: Queryable,
  { id, epoch }: Held,
  posts: 1 | 2,
  lease: string,
): Promise<OperationIn<'SENDING'> | undefined> {
  const [row] = await tx.query<OperationRow>(
    `UPDATE money_operation SET state = 'SENDING', posts = $3, epoch = epoch + 1,
       sending_at = now(), sending_elapsed = NULL, lease_until = ${lease}
     WHERE id = $1 AND epoch = $2 AND state = 'UNKNOWN' AND posts = 1 AND NOT needs_operator
     RETURNING ${COLUMNS}`,
    [id, epoch, posts],
  );
  if (row === undefined) return undefined;
  await addEvent(tx, row, 'UNKNOWN', 'SENDING', { posts });
  return inState('SENDING', row);
}
