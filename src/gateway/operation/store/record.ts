import type { Database, Queryable } from '../../../database/database.ts';
import { type Change, isProof } from '../machine.ts';
import type { Operation } from '../operation.ts';
import { addEvent, toJsonb } from './events.ts';
import { findOne } from './find.ts';
import { COLUMNS, type OperationRow } from './operation-row.ts';
import type { Held } from './operation-store.ts';

/** Both drivers put PostgreSQL's error code into `code`. */
function isUniqueViolation(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '23505';
}

/**
 * Records a change if the caller may, and otherwise adds it as an event. Returns the operation
 * as it is now.
 */
export async function record(
  database: Database,
  operation: Held,
  change: Change,
): Promise<Operation | undefined> {
  try {
    return await database.transaction(async (tx) => {
      if (!(await apply(tx, operation, change))) {
        await addEvent(tx, operation, null, null, { late: change.to });
      }
      return findOne(tx, 'id = $1', [operation.id]);
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    // Another operation has just claimed the entry: this one stays as it is.
    return findOne(database, 'id = $1', [operation.id]);
  }
}

/** Whether the change was recorded: by the holder of the epoch, or because it is a proof. */
async function apply(tx: Queryable, operation: Held, change: Change): Promise<boolean> {
  if (change.to === 'SENDING') return false;
  return change.to === 'REMOVED' ? remove(tx, operation) : update(tx, operation, change);
}

async function remove(tx: Queryable, { id, epoch }: Held): Promise<boolean> {
  const [removed] = await tx.query<OperationRow>(
    `DELETE FROM money_operation
     WHERE id = $1 AND epoch = $2 AND state IN ('PREPARED', 'SENDING') AND posts <= 1
     RETURNING ${COLUMNS}`,
    [id, epoch],
  );
  if (removed !== undefined) await addEvent(tx, removed, removed.state, null);
  return removed !== undefined;
}

async function update(
  tx: Queryable,
  { id, epoch }: Held,
  change: Exclude<Change, { readonly to: 'SENDING' | 'REMOVED' }>,
): Promise<boolean> {
  const needsOperator = change.to === 'UNKNOWN' && change.needsOperator === true;
  const [before] = await tx.query<OperationRow>(
    `SELECT ${COLUMNS} FROM money_operation
     WHERE id = $1 AND (epoch = $2 OR $3) AND state IN ('SENDING', 'UNKNOWN') FOR UPDATE`,
    [id, epoch, isProof(change)],
  );
  if (before === undefined) return false;
  await tx.query(
    `UPDATE money_operation SET state = $2, evidence = $3, rejection = $4,
       entry_ref = COALESCE($5, entry_ref), transaction_id = COALESCE($6, transaction_id),
       needs_operator = needs_operator OR $7, lease_until = NULL,
       resolved_at = CASE WHEN $3::text IS NULL THEN NULL ELSE now() END
     WHERE id = $1`,
    [
      id,
      change.to,
      'evidence' in change ? change.evidence : null,
      'rejection' in change ? toJsonb(change.rejection) : null,
      'entryRef' in change ? change.entryRef : null,
      'transactionId' in change ? change.transactionId : null,
      needsOperator,
    ],
  );
  await addEvent(tx, before, before.state, change.to, needsOperator ? { needsOperator } : {});
  return true;
}
