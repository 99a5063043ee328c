import { PGlite } from '@electric-sql/pglite';
import { dataDir as emptyDatabase } from '@electric-sql/pglite-prepopulatedfs';
import { expect, test } from 'vitest';

/** Statistics of the catalogs depend on when they were collected. */
const STATISTICS = ['pg_statistic'];
const MAY_DIFFER = ['relpages', 'reltuples', 'relallvisible', 'relallfrozen', 'attoptions'];

// PGlite 0.5.17 has attribute versions for `pg_upgrade`, in `attoptions` and with a function of
// their own. The newest package with an empty database, 0.5.8, does not have them yet.
const OF_UPGRADE = `SELECT oid FROM pg_proc WHERE proname LIKE 'binary_upgrade_%'`;
const ROWS: Readonly<Record<string, string>> = {
  pg_proc: `WHERE x.oid NOT IN (${OF_UPGRADE})`,
  pg_description: `WHERE x.objoid NOT IN (${OF_UPGRADE})`,
};

/** Every row of the system catalogs, and the settings a session starts with. */
async function describe(lite: PGlite): Promise<Record<string, unknown>> {
  const { rows: tables } = await lite.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'pg_catalog'::regnamespace ORDER BY relname`,
  );
  const found: Record<string, unknown> = {};
  for (const { name } of tables) {
    if (STATISTICS.includes(name)) continue;
    const { rows } = await lite.query(
      `SELECT count(*), md5(string_agg(row, '|' ORDER BY row))
       FROM (SELECT (to_jsonb(x) - $1::text[])::text AS row FROM ${name} AS x ${ROWS[name] ?? ''})`,
      [MAY_DIFFER],
    );
    found[name] = rows;
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
