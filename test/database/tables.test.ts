import { expect, onTestFinished, test } from 'vitest';
import type { Database, Program } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { gatewayProgram } from '../../src/gateway/money/store/open-store.ts';
import { replicaProgram } from '../../src/gateway/replica/store/open-replica-store.ts';
import { emptyStorage } from '../support/storage.ts';

// What the migrations make is committed beside them, as a reader of the code wants to see it. After
// a change, write it again with `npx vitest run test/database/tables -u`.

/** The catalog's description of every table and sequence that the migrations made. */
async function describe(database: Database): Promise<string> {
  const columns = await database.query<{ table: string; column: string }>(
    `SELECT attrelid::regclass::text AS "table",
       concat_ws(' ', attname, format_type(atttypid, atttypmod), CASE WHEN attnotnull THEN 'NOT NULL' END,
         'DEFAULT ' || pg_get_expr(adbin, adrelid)) AS "column"
     FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
       LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped
     ORDER BY 1, attnum`,
  );
  const constraints = await database.query<{ table: string; column: string }>(
    `SELECT conrelid::regclass::text AS "table", pg_get_constraintdef(oid) AS "column"
     FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype IN ('c', 'f', 'p', 'u')
     ORDER BY 1, contype DESC, 2`,
  );
  const others = await database.query<{ line: string }>(
    `SELECT pg_get_indexdef(indexrelid) || ';' AS line FROM pg_index
       JOIN pg_class ON pg_class.oid = indexrelid
     WHERE relnamespace = 'public'::regnamespace AND NOT indisprimary
     UNION SELECT 'CREATE SEQUENCE ' || relname || ';' FROM pg_class
     WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace
     ORDER BY 1`,
  );
  const tables = [...new Set(columns.map(({ table }) => table))].map((table) => {
    const parts = [...columns, ...constraints].filter((part) => part.table === table);
    return `CREATE TABLE ${table} (\n${parts.map(({ column }) => `  ${column}`).join(',\n')});\n`;
  });
  return `${tables.join('\n')}\n${others.map(({ line }) => line.replaceAll('public.', '')).join('\n')}\n`;
}

const programs: readonly [string, Program][] = [
  ['money', gatewayProgram],
  ['replica', replicaProgram],
];

test.each(programs)(
  'the migrations of %s make the tables that are committed',
  async (room, program) => {
    const database = await openDatabase(await emptyStorage(), program);
    onTestFinished(() => database.close());
    await expect(await describe(database)).toMatchFileSnapshot(
      `../../src/gateway/${room}/store/tables.sql`,
    );
  },
);
