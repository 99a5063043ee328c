import type { Database, Queryable } from '../../../database/database.ts';
import type { EntryIdentity, Operation, SnapshotEntry } from '../operation.ts';
import type { KnownEntries, SucceededMovement } from './operation-store.ts';

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
  database: Database,
  { transactionId, kind, amount }: Pick<Operation, 'kind' | 'transactionId' | 'amount'>,
): Promise<SucceededMovement[]> {
  const rows = await database.prepared<EntryRow & Pick<SucceededMovement, 'id' | 'settled'>>(
    `SELECT id, ${ENTRY}, evidence = 'OPERATOR' AS settled FROM money_operation
     WHERE transaction_id = $1 AND kind = $2 AND amount = $3
       AND state = 'SUCCEEDED' AND NOT waived`,
    [transactionId, kind, amount],
  );
  return rows.map((row) => {
    const { id, line, properties, seen, settled } = row;
    return { id, entry: isClaimed(row) ? { line, properties } : null, seen, settled };
  });
}

function isClaimed({ line, properties }: EntryIdentity): boolean {
  return line !== null || properties !== null;
}
