import type { Database, Queryable } from '../../../database/database.ts';
import type { Operation } from '../operation.ts';
import { addEvent } from './events.ts';
import { COLUMNS, type OperationRow, toOperation } from './operation-row.ts';
import type { NotReopened, Signed } from './operation-store.ts';
import { isUniqueViolation } from './unique-violation.ts';

interface SettledRow extends OperationRow {
  readonly returned: boolean;
}

/** Rolls back the change. */
class Followed extends Error {}

/**
 * Takes the operator's settlement back, which frees its claim: the operation is UNKNOWN again,
 * with a new epoch. A process that has read the settlement tells nobody of it, because
 * {@link markReturned} needs the old epoch.
 */
export async function reopen(
  database: Database,
  id: string,
  signed: Signed,
): Promise<Operation | NotReopened> {
  try {
    return await database.transaction((tx) => change(tx, id, signed));
  } catch (error) {
    // An open operation holds the lock key.
    if (error instanceof Followed || isUniqueViolation(error)) return 'FOLLOWED';
    throw error;
  }
}

async function change(
  tx: Queryable,
  id: string,
  { note, by }: Signed,
): Promise<Operation | NotReopened> {
  const [settled] = await tx.query<SettledRow>(
    `SELECT ${COLUMNS}, returned FROM money_operation
     WHERE id = $1 AND evidence = 'OPERATOR' FOR UPDATE`,
    [id],
  );
  if (settled === undefined) return 'NOT_SETTLED';
  if (settled.returned) return 'RETURNED';
  const [reopened] = await tx.query<OperationRow>(
    `UPDATE money_operation SET state = 'UNKNOWN', evidence = NULL, resolved_at = NULL,
       ended_elapsed = NULL, entry_line = NULL, entry_properties = NULL, seen = NULL,
       transaction_id = CASE WHEN kind = 'CREATE' THEN NULL ELSE transaction_id END,
       epoch = epoch + 1
     WHERE id = $1 RETURNING ${COLUMNS}`,
    [id],
  );
  if (reopened === undefined) return 'NOT_SETTLED';
  // From here on no other operation can take the lock key, so none can slip past this check.
  if (await isFollowed(tx, settled)) throw new Followed();
  await addEvent(tx, reopened, settled.state, 'UNKNOWN', { by, note, reopened: true });
  return toOperation(reopened);
}

/**
 * Whether an operation on the same lock key has succeeded since the settlement. Its entry
 * could be that of the settled operation, and the other way round. Events are compared by
 * their numbers, because clocks can be set back.
 */
async function isFollowed(tx: Queryable, { id, state, lockKey }: OperationRow): Promise<boolean> {
  const later = await tx.query(
    `SELECT FROM money_operation AS other
     WHERE other.lock_key = $3 AND other.id <> $1 AND other.state = 'SUCCEEDED'
       AND EXISTS (SELECT FROM money_operation_event AS event
         WHERE event.operation = other.id AND event.to_state = 'SUCCEEDED'
           AND event.seq > (SELECT max(seq) FROM money_operation_event
             WHERE operation = $1 AND to_state = $2))
     LIMIT 1`,
    [id, state, lockKey],
  );
  return later.length > 0;
}
