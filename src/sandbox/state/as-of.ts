import type { Database, Queryable } from '../../database/database.ts';
import { recordTables, rowType } from './contents.ts';

/** How long changes are kept. */
const KEPT_MS = 60_000;

interface Change {
  readonly in_table: string;
  readonly old_row: string | null;
  readonly new_row: string | null;
}

/** Ends a database transaction without committing it. */
class RolledBack<T> extends Error {
  readonly result: T;

  constructor(result: T) {
    super('Rolled back');
    this.result = result;
  }
}

/**
 * Reads the records as they were some time ago: in a database transaction that is rolled back, it
 * undoes every change since then. Reads of at most a minute ago are possible.
 */
export async function readAsOf<T>(
  database: Database,
  agoMs: number,
  read: (past: Database) => Promise<T>,
): Promise<T> {
  try {
    await database.transaction(async (tx) => {
      // Writers lock the merchant first. With all of them locked, nobody waits for each other.
      await tx.query('LOCK TABLE merchant IN EXCLUSIVE MODE');
      await undoChanges(tx, agoMs);
      throw new RolledBack(await read(within(database, tx)));
    });
  } catch (error) {
    // The class has one type of result here, that of `read`.
    if (error instanceof RolledBack) return error.result as T;
    throw error;
  }
  throw new Error('The transaction was committed.');
}

/** A database whose statements all belong to one transaction. */
function within(database: Database, tx: Queryable): Database {
  return {
    ...database,
    query: (sql, values) => tx.query(sql, values),
    prepared: (sql, values) => tx.query(sql, values),
    transaction: (work) => work(tx),
  };
}

async function undoChanges(tx: Queryable, agoMs: number): Promise<void> {
  const changes = await tx.query<Change>(
    `SELECT in_table, old_row::text AS old_row, new_row::text AS new_row FROM change
      WHERE at > clock_timestamp() - $1 * interval '1 millisecond' ORDER BY seq DESC`,
    [agoMs],
  );
  await tx.query('UPDATE control_state SET keeps_changes = false');
  for (const change of changes) await undo(tx, change);
}

async function undo(tx: Queryable, { in_table, old_row, new_row }: Change): Promise<void> {
  const table = recordTables.find(({ name }) => name === in_table);
  if (table === undefined) throw new Error(`${in_table} has no records.`);
  const rowOf = (placeholder: string) =>
    `json_populate_record(${rowType(in_table)}, ${placeholder}::json)`;
  const isRow = table.key.map((column) => `target.${column} = given.${column}`).join(' AND ');
  if (old_row === null) {
    await tx.query(
      `DELETE FROM ${in_table} AS target USING ${rowOf('$1')} AS given WHERE ${isRow}`,
      [new_row],
    );
  } else if (new_row === null) {
    await tx.query(`INSERT INTO ${in_table} OVERRIDING SYSTEM VALUE SELECT * FROM ${rowOf('$1')}`, [
      old_row,
    ]);
  } else {
    const columns = Object.keys(JSON.parse(old_row)).filter(
      (column) => !table.key.includes(column),
    );
    const values = columns.map((column) => `${column} = given.${column}`).join(', ');
    await tx.query(
      `UPDATE ${in_table} AS target SET ${values} FROM ${rowOf('$1')} AS given WHERE ${isRow}`,
      [old_row],
    );
  }
}

/** Forgets all changes: nothing of a moment before a reset can be read. */
export async function deleteChanges(tx: Queryable): Promise<void> {
  await tx.query('DELETE FROM change');
}

/** Deletes the changes that no read needs any more. */
export async function deleteOldChanges(database: Queryable): Promise<void> {
  await database.query(
    `DELETE FROM change WHERE at < clock_timestamp() - $1 * interval '1 millisecond'`,
    [KEPT_MS],
  );
}
