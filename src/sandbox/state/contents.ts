import type { Queryable } from '../../database/database.ts';
import { singleRow } from '../single-row.ts';
import { countedTables, recordTables, rowType, tablesWithIds } from './tables.ts';

/** Who restores a snapshot keeps the key of the demo app, so none has to leave the sandbox. */
const WITHOUT_DEMO_KEY = `CASE WHEN found.id IN (SELECT app_id FROM demo_app)
  THEN (to_jsonb(found) || '{"key": "", "key_digest": ""}')::json ELSE to_json(found) END`;

/**
 * All records as JSON: an object with the rows of each table, without the key of the demo app. It
 * stays text, because only the database reads it.
 */
export async function readContents(tx: Queryable): Promise<string> {
  const tables = recordTables.map(({ name, key }) => {
    const order = key.map((column) => `found.${column}`).join(', ');
    const row = name === 'app' ? WITHOUT_DEMO_KEY : 'found';
    return `'${name}', (SELECT coalesce(json_agg(${row} ORDER BY ${order}), '[]') FROM ${name} AS found)`;
  });
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

/** Inserts records that {@link readContents} returned, into tables without records. */
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
}

/**
 * Makes the next number of each table, and the next id, larger than every one there is. A rollback
 * does not undo this.
 */
export async function raiseSequences(tx: Queryable): Promise<void> {
  for (const { name } of countedTables) {
    await tx.query(
      `SELECT setval(pg_get_serial_sequence('${name}', 'seq'), greatest((SELECT max(seq) FROM ${name}), 1))`,
    );
  }
  const latest = tablesWithIds.map(({ name }) => `(SELECT max(id) FROM ${name})`);
  await tx.query(`SELECT raise_record_id(greatest(${latest.join(', ')}))`);
}
