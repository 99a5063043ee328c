import type { Queryable } from '../../../database/database.ts';
import { addEvent } from './events.ts';
import { COLUMNS, type OperationRow } from './operation-row.ts';
import type { Held } from './operation-store.ts';

/** Removes an operation that was never sent. One that was released before keeps its row. */
export async function remove(tx: Queryable, { id, epoch }: Held): Promise<boolean> {
  const [removed] = await tx.query<OperationRow>(
    `DELETE FROM money_operation
     WHERE id = $1 AND epoch = $2 AND state IN ('PREPARED', 'SENDING') AND posts <= 1
       AND response IS NULL
     RETURNING ${COLUMNS}`,
    [id, epoch],
  );
  if (removed !== undefined) await addEvent(tx, removed, removed.state, null);
  return removed !== undefined;
}

/** Frees the lock key of an operation that can be sent again when its key is repeated. */
export async function release(
  tx: Queryable,
  { id, epoch }: Held,
  from: 'SENDING' | 'UNKNOWN',
): Promise<boolean> {
  const [released] = await tx.query<OperationRow>(
    `UPDATE money_operation SET state = 'RELEASED', lease_until = NULL
     WHERE id = $1 AND epoch = $2 AND state = $3 AND posts = 1
       AND response ->> 'kind' = 'RELEASED'
     RETURNING ${COLUMNS}`,
    [id, epoch, from],
  );
  if (released !== undefined) await addEvent(tx, released, from, 'RELEASED');
  return released !== undefined;
}
