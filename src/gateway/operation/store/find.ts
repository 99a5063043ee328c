import type { Database, Queryable } from '../../../database/database.ts';
import type { Operation } from '../operation.ts';
import { COLUMNS, type OperationRow, toOperation } from './operation-row.ts';

/** Condition for operations that have not ended. */
export const OPEN = `state IN ('PREPARED', 'SENDING', 'UNKNOWN')`;
/** Sorts before every other id. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** The first operation that meets a condition in SQL. */
export async function findOne(
  db: Queryable,
  where: string,
  values: readonly unknown[],
): Promise<Operation | undefined> {
  const sql = `SELECT ${COLUMNS} FROM money_operation WHERE ${where}`;
  const [row] = await db.query<OperationRow>(sql, values);
  return row && toOperation(row);
}

/** The operation with a key. */
export async function findByKey(
  database: Database,
  merchantId: string,
  key: string,
): Promise<Operation | undefined> {
  const [row] = await database.prepared<OperationRow>(
    `SELECT ${COLUMNS} FROM money_operation WHERE merchant_id = $1 AND key = $2`,
    [merchantId, key],
  );
  return row && toOperation(row);
}

/** The open operations, oldest first; or all operations, newest first. */
export async function list(db: Queryable, open: boolean, limit: number): Promise<Operation[]> {
  const rows = await db.query<OperationRow>(
    `SELECT ${COLUMNS} FROM money_operation ${open ? `WHERE ${OPEN}` : ''}
     ORDER BY created_at ${open ? '' : 'DESC'} LIMIT $1`,
    [limit],
  );
  return rows.map(toOperation);
}

/** UNKNOWN operations that a read of the service may still resolve, by id, after `after`. */
export async function listUnknown(
  db: Queryable,
  after: string | undefined,
  limit: number,
): Promise<Operation[]> {
  const rows = await db.query<OperationRow>(
    `SELECT ${COLUMNS} FROM money_operation
     WHERE state = 'UNKNOWN' AND NOT needs_operator AND id > $1 ORDER BY id LIMIT $2`,
    [after ?? FIRST_ID, limit],
  );
  return rows.map(toOperation);
}
