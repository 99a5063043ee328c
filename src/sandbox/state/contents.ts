import type { Queryable } from '../../database/database.ts';
import { singleRow } from '../environment.ts';

/** A table of records. */
export interface RecordTable {
  readonly name: string;
  /** The columns of its primary key. */
  readonly key: readonly string[];
}

/** All tables with records of the services, each after those that it refers to. */
export const recordTables: readonly RecordTable[] = [
  { name: 'user_record', key: ['seq'] },
  { name: 'app', key: ['id'] },
  { name: 'demo_app', key: ['app_id'] },
  { name: 'merchant', key: ['id'] },
  { name: 'merchant_app', key: ['app_id', 'merchant_id'] },
  { name: 'person', key: ['id'] },
  { name: 'member', key: ['merchant_id', 'person_id'] },
  { name: 'transaction', key: ['id'] },
  { name: 'line', key: ['id'] },
  { name: 'dispute', key: ['id'] },
  { name: 'fraud_alert', key: ['id'] },
  { name: 'trail_entry', key: ['seq'] },
  { name: 'saved_card', key: ['id'] },
  { name: 'outbox', key: ['seq'] },
];

/** The tables whose column `seq` the database counts. */
const countedTables = recordTables.filter(({ key }) => key[0] === 'seq');

/** The tables whose records have ids of the sequence that all kinds of records share. */
const tablesWithIds = recordTables.filter(({ key }) => key.join() === 'id');

/**
 * An SQL expression with the type of a table's rows. `NULL::line` would be of a type of
 * PostgreSQL, which has one of that name.
 */
export function rowType(table: string): string {
  return `(SELECT row_of_table FROM ${table} AS row_of_table WHERE false)`;
}

/** A restore keeps the key of the demo app, so a snapshot need not contain one. */
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

/** Deletes all records. The sequence of ids continues. */
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
 * Makes the next number of each table, and the next id, larger than all existing ones. A rollback
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
