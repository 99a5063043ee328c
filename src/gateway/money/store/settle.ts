import type { Database, Queryable } from '../../../database/database.ts';
import type { EntryIdentity, Operation, SnapshotEntry } from '../engine/operation.ts';
import { isSameEntry, leavesEachOne } from '../engine/snapshot.ts';
import { addEvent, endLeases, isUniqueViolation } from './events.ts';
import { knownEntries } from './lists.ts';
import { COLUMNS, OPEN, type OperationRow, toOperation } from './operation-row.ts';
import type {
  NotReopened,
  OperatorView,
  Settlement,
  Signed,
  ViewFilter,
  Waiver,
} from './operation-store.ts';

/**
 * Ends an UNKNOWN operation by the operator's settlement. Undefined if it is not UNKNOWN, or
 * has changed since it was read.
 */
export async function settle(
  database: Database,
  id: string,
  settlement: Settlement,
): Promise<Operation | 'PROOF_TAKEN' | undefined> {
  try {
    return await database.transaction((tx) => end(tx, id, settlement));
  } catch (error) {
    // Another operation has claimed the entry.
    if (isUniqueViolation(error)) return 'PROOF_TAKEN';
    throw error;
  }
}

async function end(
  tx: Queryable,
  id: string,
  { applied, proof, entry, verified = false, epoch, note, by }: Settlement,
): Promise<Operation | 'PROOF_TAKEN' | undefined> {
  await endLeases(tx, { where: 'id = $1', values: [id] });
  if (proof !== undefined && (await isTaken(tx, proof, id))) return 'PROOF_TAKEN';
  if (entry !== undefined && !(await isSpare(tx, entry, id))) return 'PROOF_TAKEN';
  const [settled] = await tx.query<OperationRow>(
    `UPDATE money_operation SET state = $2, evidence = 'OPERATOR', resolved_at = now(),
       entry_line = CASE WHEN kind <> 'CREATE' THEN $3 END,
       entry_properties = CASE WHEN kind <> 'CREATE' THEN $4 END,
       transaction_id = CASE WHEN kind = 'CREATE' THEN $5 ELSE transaction_id END,
       epoch = epoch + 1, lease_until = NULL
     WHERE id = $1 AND state = 'UNKNOWN' AND ($6::integer IS NULL OR epoch = $6)
     RETURNING ${COLUMNS}`,
    [
      id,
      applied ? 'SUCCEEDED' : 'NOT_APPLIED',
      entry?.line ?? proof ?? null,
      entry?.properties ?? null,
      proof ?? null,
      epoch ?? null,
    ],
  );
  if (settled === undefined) return undefined;
  await addEvent(tx, settled, 'UNKNOWN', settled.state, { by, note, verified, proof, entry });
  return toOperation(settled);
}

/**
 * Whether a proof belongs to another operation. The lock makes two settlements with one proof
 * run one after the other, so that the second sees the first.
 */
async function isTaken(tx: Queryable, proof: string, id: string): Promise<boolean> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [proof]);
  const taken = await tx.query(
    `SELECT id FROM money_operation
     WHERE (entry_line = $1 OR (kind = 'CREATE' AND transaction_id = $1)) AND id <> $2 LIMIT 1`,
    [proof, id],
  );
  return taken.length > 0;
}

/**
 * Whether an entry can belong to an operation while every other success still has an entry. An
 * entry that others have seen can, if they have seen enough entries.
 */
async function isSpare(tx: Queryable, entry: EntryIdentity, id: string): Promise<boolean> {
  const rows = await tx.query<{ transaction: string; seen: readonly SnapshotEntry[] }>(
    `SELECT transaction_id AS transaction, seen FROM money_operation
     WHERE transaction_id = (SELECT transaction_id FROM money_operation WHERE id = $1)
       AND state = 'SUCCEEDED' AND seen IS NOT NULL`,
    [id],
  );
  const [first] = rows;
  const isSeen = rows.some(({ seen }) => seen.some((other) => isSameEntry(other, entry)));
  if (first === undefined || !isSeen) return true;
  const { claimed } = await knownEntries(tx, first.transaction);
  const others = rows.map(({ seen }) => seen);
  return leavesEachOne(others, [...claimed, entry]);
}

interface SettledRow extends OperationRow {
  readonly returned: boolean;
}

/** Thrown to roll back the change. */
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
 * could be that of the settled operation, and vice versa. Events are compared by
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

/**
 * Gives up waiting for the entry of an operation that succeeded: other operations of its kind and
 * amount no longer wait for the service to show it. Undefined if none waits for it.
 */
export async function waive(
  tx: Queryable,
  id: string,
  { note, by, verified }: Waiver,
): Promise<Operation | undefined> {
  const [waived] = await tx.query<OperationRow>(
    `UPDATE money_operation SET waived = true
     WHERE id = $1 AND state = 'SUCCEEDED' AND kind <> 'CREATE' AND evidence <> 'OPERATOR'
       AND NOT waived
     RETURNING ${COLUMNS}`,
    [id],
  );
  if (waived === undefined) return undefined;
  await addEvent(tx, waived, null, null, { by, note, verified, waived: true });
  return toOperation(waived);
}

interface ViewRow extends OperationRow {
  readonly waived: boolean;
  readonly verified: boolean | null;
}

/** The latest settlement is that of the last event with this key. */
const VIEW = `${COLUMNS}, waived,
  CASE WHEN evidence = 'OPERATOR' THEN COALESCE((SELECT (detail ->> 'verified')::boolean
    FROM money_operation_event AS event
    WHERE event.operation = money_operation.id AND detail ->> 'verified' IS NOT NULL
    ORDER BY seq DESC LIMIT 1), false) END AS verified`;

/** The open operations, oldest first; or all operations, newest first. Ends expired leases. */
export async function view(
  tx: Queryable,
  { open = false, limit, idPrefix, key, transactionId }: ViewFilter,
): Promise<OperatorView[]> {
  while (await endLeases(tx, { where: 'true', values: [] }));
  const rows = await tx.query<ViewRow>(
    `SELECT ${VIEW} FROM money_operation
     WHERE ${open ? OPEN : 'true'} AND ($2::text IS NULL OR starts_with(id::text, $2))
       AND ($3::text IS NULL OR key = $3) AND ($4::text IS NULL OR transaction_id = $4)
     ORDER BY created_at ${open ? '' : 'DESC'}, id LIMIT $1`,
    [limit, idPrefix ?? null, key ?? null, transactionId ?? null],
  );
  return rows.map(toView);
}

/** One operation; undefined if it does not exist. Ends its lease if that has expired. */
export async function viewOne(tx: Queryable, id: string): Promise<OperatorView | undefined> {
  await endLeases(tx, { where: 'id = $1', values: [id] });
  const sql = `SELECT ${VIEW} FROM money_operation WHERE id = $1`;
  const [row] = await tx.query<ViewRow>(sql, [id]);
  return row && toView(row);
}

function toView(row: ViewRow): OperatorView {
  const { waived, verified } = row;
  return { operation: toOperation(row), waived, verified };
}
