import type { Queryable } from '../../../database/database.ts';
import type { Operation } from '../operation.ts';
import type { EntryIdentity, SnapshotEntry } from '../snapshot.ts';
import { toJsonb } from './events.ts';
import type { EntryClaim, Held, KnownEntries, SucceededMovement } from './operation-store.ts';
import { isUniqueViolation } from './unique-violation.ts';

interface EntryRow extends EntryIdentity {
  readonly seen: readonly SnapshotEntry[] | null;
}

const ENTRY = 'entry_line AS "line", entry_properties AS "properties", seen';

/** The entries of a transaction that belong to operations. */
export async function knownEntries(db: Queryable, transactionId: string): Promise<KnownEntries> {
  const rows = await db.query<EntryRow>(
    `SELECT ${ENTRY} FROM money_operation
     WHERE transaction_id = $1 AND kind <> 'CREATE' AND state = 'SUCCEEDED'`,
    [transactionId],
  );
  return {
    claimed: rows.filter(isClaimed).map(({ line, properties }) => ({ line, properties })),
    seen: rows.flatMap(({ seen }) => seen ?? []),
  };
}

/** The operations of this kind and amount that succeeded, without those that the operator waived. */
export async function listSucceeded(
  db: Queryable,
  { transactionId, kind, amount }: Pick<Operation, 'kind' | 'transactionId' | 'amount'>,
): Promise<SucceededMovement[]> {
  const rows = await db.query<EntryRow & Pick<SucceededMovement, 'id' | 'snapshot' | 'settled'>>(
    `SELECT id, ${ENTRY}, evidence = 'OPERATOR' AS settled,
       CASE WHEN entry_line IS NULL AND entry_properties IS NULL AND seen IS NULL
         THEN snapshot END AS snapshot
     FROM money_operation
     WHERE transaction_id = $1 AND kind = $2 AND amount = $3
       AND state = 'SUCCEEDED' AND NOT waived`,
    [transactionId, kind, amount],
  );
  return rows.map((row) => {
    const { id, line, properties, seen, snapshot, settled } = row;
    return { id, entry: isClaimed(row) ? { line, properties } : null, seen, snapshot, settled };
  });
}

function isClaimed({ line, properties }: EntryIdentity): boolean {
  return line !== null || properties !== null;
}

/** Records the entry of an operation that has succeeded. Does nothing if another one has claimed it. */
export async function claimEntry(db: Queryable, id: string, claim: EntryClaim): Promise<void> {
  const { line, properties } = 'entry' in claim ? claim.entry : { line: null, properties: null };
  const seen = 'seen' in claim ? toJsonb(claim.seen) : null;
  try {
    await db.query(
      `UPDATE money_operation SET entry_line = $2, entry_properties = $3, seen = $4
       WHERE id = $1 AND state = 'SUCCEEDED'
         AND entry_line IS NULL AND entry_properties IS NULL AND seen IS NULL`,
      [id, line, properties, seen],
    );
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
  }
}

/**
 * Records that a caller is told of the operator's settlement. Returns true if the operation
 * has changed since it was read.
 */
export async function markReturned(db: Queryable, { id, epoch }: Held): Promise<boolean> {
  const marked = await db.query(
    `UPDATE money_operation SET returned = true
     WHERE id = $1 AND epoch = $2 AND evidence = 'OPERATOR' RETURNING id`,
    [id, epoch],
  );
  return marked.length === 0;
}
