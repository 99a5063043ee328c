import type { Queryable } from '../../database/database.ts';
import { singleRow } from '../single-row.ts';
import { countedTables, recordTables, rowType, tablesWithIds } from './tables.ts';

/**
 * All records as JSON: an object with the rows of each table. It stays text, because only the
 * database reads it.
 */
export async function readContents(tx: Queryable): Promise<string> {
  const tables = recordTables.map(
    ({ name, key }) =>
      `'${name}', (SELECT coalesce(json_agg(found ORDER BY ${key.map((column) => `found.${column}`).join(', ')}), '[]') FROM ${name} AS found)`,
  );
  const rows = await tx.query<{ contents: string }>(
    `SELECT json_build_object(${tables.join(', ')})::text AS contents`,
  );
  return singleRow(rows).contents;
}

/** Deletes all records. The sequence of ids goes on. */
export async function deleteRecords(tx: Queryable): Promise<void> {
  const names = recordTables.map(({ name }) => name);
  await tx.query(`TRUNCATE ${names.join(', ')}, change`);
}

/**
 * Inserts records that {@link readContents} returned, into tables without records. From then on,
 * new ids are larger than every id in them.
 */
export async function insertContents(tx: Queryable, contents: string): Promise<void> {
  // The database reads the whole text only once, because that takes longer than most inserts.
  const tables = await tx.query<{ name: string; rows: string }>(
    'SELECT key AS name, value::text AS rows FROM json_each($1::json)',
    [contents],
  );
  const rowsOf = new Map(tables.map(({ name, rows }) => [name, rows]));
  for (const { name } of recordTables) {
    await tx.query(
      `INSERT INTO ${name} OVERRIDING SYSTEM VALUE
        SELECT * FROM json_populate_recordset(${rowType(name)}, $1::json)`,
      [rowsOf.get(name) ?? null],
    );
  }
  for (const { name } of countedTables) {
    await tx.query(
      `SELECT setval(pg_get_serial_sequence('${name}', 'seq'), greatest((SELECT max(seq) FROM ${name}), 1))`,
    );
  }
  await raiseLastId(tx);
  // Records change the table of changes, too, but nothing of a moment before a reset can be read.
  await tx.query('DELETE FROM change');
}

/** Makes the next id larger than every id there is. */
export async function raiseLastId(tx: Queryable): Promise<void> {
  const latest = tablesWithIds.map(({ name }) => `(SELECT max(id) FROM ${name})`);
  await tx.query(`SELECT raise_record_id(greatest(${latest.join(', ')}))`);
}
