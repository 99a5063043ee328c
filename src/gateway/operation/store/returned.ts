import type { Queryable } from '../../../database/database.ts';
import { addEvent } from './events.ts';
import type { Held } from './operation-store.ts';

/**
 * Records that a client is told of the operator's settlement. Returns true if the operation
 * has changed since it was read.
 */
export async function markReturned(tx: Queryable, operation: Held): Promise<boolean> {
  const [settled] = await tx.query<{ returned: boolean }>(
    `SELECT returned FROM money_operation
     WHERE id = $1 AND epoch = $2 AND evidence = 'OPERATOR' FOR UPDATE`,
    [operation.id, operation.epoch],
  );
  if (settled === undefined) return true;
  if (settled.returned) return false;
  await tx.query('UPDATE money_operation SET returned = true WHERE id = $1', [operation.id]);
  await addEvent(tx, operation, null, null, { returned: true });
  return false;
}
