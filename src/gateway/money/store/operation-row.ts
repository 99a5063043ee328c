import type { Database, Queryable } from '../../../database/database.ts';
import type {
  Evidence,
  ListSnapshot,
  MovementKind,
  Operation,
  OperationIn,
  OperationState,
  Rejection,
  SearchPlace,
  ServiceResponse,
  TrailSnapshot,
} from '../engine/operation.ts';

/** The columns of an operation, under the names of {@link OperationRow}. */
export const COLUMNS = `id, merchant_id AS "merchantId", key, kind, lock_key AS "lockKey",
  transaction_id AS "transactionId", amount, currency, encode(fingerprint, 'hex') AS fingerprint,
  state, posts, epoch, needs_operator AS "needsOperator", snapshot, response, rejection,
  search_place AS "searchPlace", entry_line AS "entryLine", entry_properties AS "entryProperties",
  evidence, created_at AS "createdAt",
  COALESCE((SELECT elapsed FROM store_clock) - sending_elapsed, 0) AS "sinceSendingMs",
  COALESCE((SELECT elapsed FROM store_clock) - responded_elapsed, 0) AS "sinceResponseMs",
  resolved_at AS "resolvedAt"`;

/** A row as the database returns it. Its constraints exclude most combinations of null. */
export interface OperationRow {
  readonly id: string;
  readonly merchantId: string;
  readonly key: string;
  readonly kind: MovementKind | 'CREATE';
  readonly lockKey: string | null;
  readonly transactionId: string | null;
  readonly amount: number;
  readonly currency: string;
  readonly fingerprint: string;
  readonly state: OperationState;
  readonly posts: number;
  readonly epoch: number;
  readonly needsOperator: boolean;
  readonly snapshot: TrailSnapshot | ListSnapshot | null;
  readonly response: ServiceResponse | null;
  readonly rejection: Rejection | null;
  readonly searchPlace: SearchPlace | null;
  readonly entryLine: string | null;
  readonly entryProperties: string | null;
  readonly evidence: Evidence | null;
  readonly createdAt: Date;
  readonly sinceSendingMs: number;
  readonly sinceResponseMs: number;
  readonly resolvedAt: Date | null;
}

/** Converts a row to an operation. Throws if the row breaks a constraint of the table. */
export function toOperation(row: OperationRow): Operation {
  const { id, merchantId, key, amount, currency, fingerprint, epoch, createdAt } = row;
  const intended = { id, merchantId, key, amount, currency, fingerprint, epoch, createdAt };
  const { kind, lockKey, transactionId, snapshot, searchPlace } = row;
  if (kind === 'CREATE') {
    const progress = toProgress(row, snapshot !== null && 'newest' in snapshot ? snapshot : null);
    return { ...intended, ...progress, kind, lockKey: null, transactionId, searchPlace };
  }
  if (lockKey === null || transactionId === null) throw broken(row);
  const progress = toProgress(row, snapshot !== null && 'trail' in snapshot ? snapshot : null);
  return { ...intended, ...progress, kind, lockKey, transactionId };
}

function toProgress<Snapshot>(row: OperationRow, snapshot: Snapshot | null) {
  const { state, posts, needsOperator, response, rejection, evidence, resolvedAt } = row;
  if (state === 'PREPARED') return { state };
  if (snapshot === null || (posts !== 1 && posts !== 2)) throw broken(row);
  const { sinceSendingMs, sinceResponseMs } = row;
  const sent = { snapshot, sinceSendingMs, posts } as const;
  if (state === 'SENDING') return { state, ...sent };
  if (state === 'UNKNOWN') return { state, ...sent, needsOperator, response, sinceResponseMs };
  if (state === 'RELEASED') {
    if (response?.kind !== 'RELEASED') throw broken(row);
    return { state, ...sent, reason: response.reason };
  }
  if (evidence === null || resolvedAt === null) throw broken(row);
  const ended = { ...sent, evidence, resolvedAt };
  if (state === 'SUCCEEDED') return { state, ...ended, entry: entryOf(row) };
  if (state === 'NOT_APPLIED') return { state, ...ended };
  if (rejection === null) throw broken(row);
  return { state, ...ended, rejection };
}

function entryOf({ entryLine: line, entryProperties: properties }: OperationRow) {
  return line === null && properties === null ? null : { line, properties };
}

/** The operation of a row that a statement has just put into this state. */
export function inState<State extends OperationState>(
  state: State,
  row: OperationRow,
): OperationIn<State> {
  const operation = toOperation(row);
  if (!isInState(operation, state)) throw broken(row);
  return operation;
}

function isInState<State extends OperationState>(
  operation: Operation,
  state: State,
): operation is OperationIn<State> {
  return operation.state === state;
}

function broken({ id, state }: OperationRow): Error {
  return new Error(`The row of money operation ${id} (${state}) is not valid.`);
}

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
