import { PGlite } from '@electric-sql/pglite';
import { dataDir as emptyDatabase } from '@electric-sql/pglite-prepopulatedfs';
import { expect, test } from 'vitest';

/** Statistics of the catalogs depend on when they were collected; nothing else may differ. */
const MAY_DIFFER = ['pg_statistic'];

/** Every row of the system catalogs, and the settings a session starts with. */
async function describe(lite: PGlite): Promise<Record<string, unknown>> {
  const { rows: tables } = await lite.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'pg_catalog'::regnamespace ORDER BY relname`,
  );
  const found: Record<string, unknown> = {};
  for (const { name } of tables) {
    const sql = `SELECT count(*), md5(string_agg(x::text, '|' ORDER BY x::text)) FROM ${name} AS x`;
    if (!MAY_DIFFER.includes(name)) found[name] = (await lite.query(sql)).rows;
  }
  const { rows: settings } = await lite.query<{ name: string; setting: string }>(
    `SELECT name, setting FROM pg_settings WHERE name NOT IN ('TimeZone', 'log_timezone')`,
  );
  return { ...found, settings };
}

test('the empty database that a first start unpacks is what this PGlite would create', async () => {
  const created = await PGlite.create();
  const expected = await describe(created);
  await created.close();
  const unpacked = await PGlite.create({ loadDataDir: await emptyDatabase() });
  expect(await describe(unpacked)).toEqual(expected);
  // Whatever the machine's time zone is.
  const { rows } = await unpacked.query(`SELECT utc_offset FROM pg_timezone_names
    WHERE name = current_setting('TimeZone')`);
  expect(rows).toEqual([{ utc_offset: '00:00:00' }]);
  await unpacked.close();
});
