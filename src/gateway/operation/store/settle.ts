import type { Database, Queryable } from '../../../database/database.ts';
import type { EntryIdentity, Operation, SnapshotEntry } from '../operation.ts';
import { leavesEachOne } from '../seen-entries.ts';
import { isSameEntry } from '../snapshot.ts';
import { knownEntries } from './entries.ts';
import { addEvent } from './events.ts';
import { endLeases } from './leases.ts';
import { COLUMNS, type OperationRow, toOperation } from './operation-row.ts';
import type { Settlement } from './operation-store.ts';
import { isUniqueViolation } from './unique-violation.ts';

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
 * Whether an entry can belong to an operation, so that every other success still has one. An
 * entry that others have seen can, if they have seen enough of them.
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
