import type { Database, Queryable } from '../../../database/database.ts';
import type { EntryIdentity, Operation, SnapshotEntry } from '../engine/operation.ts';
import { COLUMNS, type OperationRow, toOperation } from './operation-row.ts';
import type {
  KnownEntries,
  ListedOperation,
  OperationQuery,
  Place,
  SucceededMovement,
} from './operation-store.ts';

interface ListedRow extends OperationRow {
  readonly createdMicros: number;
  readonly returned: boolean;
}

/** Lists operations of a merchant, newest first unless the list is read backward. */
export async function listOfMerchant(
  db: Queryable,
  { merchantId, id, transactionId, states, from, to, backward, start, end, limit }: OperationQuery,
): Promise<ListedOperation[]> {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const bindPlace = ({ createdMicros, id }: Place) =>
    `('epoch'::timestamptz + ${bind(createdMicros)}::bigint * interval '1 microsecond', ${bind(id)}::uuid)`;
  const [further, nearer] = backward ? ['>', '<'] : ['<', '>'];
  const conditions = [
    `merchant_id = ${bind(merchantId)}`,
    // As constants, so that the database can use the index of operations that did not succeed.
    `state IN (${states.map((state) => `'${state}'`).join(', ')})`,
    ...(id === undefined ? [] : [`id = ${bind(id)}::uuid`]),
    ...(transactionId === undefined ? [] : [`transaction_id = ${bind(transactionId)}`]),
    ...(from === undefined ? [] : [`created_at >= ${bind(from)}`]),
    ...(to === undefined ? [] : [`created_at < ${bind(to)}`]),
    ...(start === undefined ? [] : [`(created_at, id) ${further} ${bindPlace(start)}`]),
    ...(end === undefined ? [] : [`(created_at, id) ${nearer} ${bindPlace(end)}`]),
  ];
  const direction = backward ? 'ASC' : 'DESC';
  const rows = await db.query<ListedRow>(
    `SELECT ${COLUMNS}, returned, (extract(epoch FROM created_at) * 1000000)::bigint AS "createdMicros"
     FROM money_operation WHERE ${conditions.join(' AND ')}
     ORDER BY created_at ${direction}, id ${direction} LIMIT ${bind(limit)}`,
    values,
  );
  return rows.map((row) => ({
    operation: toOperation(row),
    place: { createdMicros: row.createdMicros, id: row.id },
    returned: row.returned,
  }));
}

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

/** Number of operations with one state and age that are not final. */
export interface OpenCount {
  /** `NEEDS_OPERATOR` for the UNKNOWN ones that only the operator can settle. */
  readonly state: 'PREPARED' | 'SENDING' | 'UNKNOWN' | 'NEEDS_OPERATOR';
  readonly age:
    | 'under 1 minute'
    | 'under 15 minutes'
    | 'under 1 hour'
    | 'under 1 day'
    | '1 day and more';
  readonly count: number;
}

/** Counts the operations that are not final. The index of lock keys finds most of them. */
export function countOpen(database: Queryable): Promise<OpenCount[]> {
  return database.query<OpenCount>(
    `SELECT CASE WHEN needs_operator THEN 'NEEDS_OPERATOR' ELSE state END AS state,
       CASE WHEN created_at > now() - interval '1 minute' THEN 'under 1 minute'
         WHEN created_at > now() - interval '15 minutes' THEN 'under 15 minutes'
         WHEN created_at > now() - interval '1 hour' THEN 'under 1 hour'
         WHEN created_at > now() - interval '1 day' THEN 'under 1 day'
         ELSE '1 day and more' END AS age,
       count(*)::integer AS count
     FROM money_operation WHERE state IN ('PREPARED', 'SENDING', 'UNKNOWN') GROUP BY 1, 2`,
  );
}
