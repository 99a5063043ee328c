import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/database/open.ts';
import { openServer } from '../../src/database/server.ts';
import { preparedPostgres } from '../support/storage.ts';

const NAMES = [
  'synchronous_commit',
  'lock_timeout',
  'statement_timeout',
  'idle_in_transaction_session_timeout',
];

test.each(['', '?options=-c%20synchronous_commit%3Doff%20-c%20lock_timeout%3D0'])(
  'a transaction commits to disk and waits for locks up to its limit, also with an address that ends in "%s"',
  async (ending) => {
    const database = await openServer(`${await preparedPostgres()}${ending}`, 2_000);
    onTestFinished(() => database.close());
    const settings = await database.transaction((tx) =>
      tx.query<{ setting: string }>(
        'SELECT current_setting(name) AS setting FROM unnest($1::text[]) AS name',
        [NAMES],
      ),
    );
    expect(settings.map(({ setting }) => setting)).toEqual(['on', '2s', '2s', '4s']);
  },
);

test('a single statement has a time limit and commits to disk, and leaves no setting behind', async () => {
  const url = await preparedPostgres();
  const ending = '?options=-c%20synchronous_commit%3Doff%20-c%20statement_timeout%3D0';
  const database = await openServer(`${url}${ending}`, 2_000);
  onTestFinished(() => database.close());
  // Two settings are those of the session: a pooler gives it to others after the statement.
  const read = `SELECT current_setting(name) AS setting, reset_val
    FROM pg_settings WHERE name IN ('synchronous_commit', 'statement_timeout') ORDER BY name`;
  const expected = [
    { setting: '2s', reset_val: '0' },
    { setting: 'on', reset_val: 'off' },
  ];
  for (const run of [database.query, database.prepared]) {
    for (let count = 0; count < 2; count++) expect(await run(read)).toEqual(expected);
  }
});

test.each(['query', 'prepared'] as const)(
  'a single statement (%s) ends if another session keeps its row locked, and writes nothing later',
  async (how) => {
    const url = await preparedPostgres();
    const [database, other] = [await openServer(url, 500), await openServer(url)];
    onTestFinished(() => database.close());
    onTestFinished(() => other.close());
    const advance = 'UPDATE store_clock SET elapsed = elapsed + 1 RETURNING elapsed';
    await database[how](advance);
    const before = await other.query('SELECT elapsed FROM store_clock');
    await other.transaction(async (tx) => {
      await tx.query('SELECT FROM store_clock FOR UPDATE');
      await expect(database[how](advance)).rejects.toMatchObject({
        // SQLSTATE query_canceled.
        code: '57014',
        message: 'canceling statement due to statement timeout',
      });
    });
    expect(await other.query('SELECT elapsed FROM store_clock')).toEqual(before);
    await database[how](advance);
  },
);

test('a migration has no time limit, and each later statement has one', async () => {
  const slow = 'SELECT pg_sleep(0.3)';
  const database = await openDatabase(
    { databaseUrl: await preparedPostgres() },
    {
      name: 'slow',
      urlSetting: 'DATABASE_URL',
      migrationTable: 'slow_migration',
      migrationLock: 1,
      patienceMs: 100,
      migrations: [[slow]],
    },
  );
  onTestFinished(() => database.close());
  await expect(database.transaction((tx) => tx.query(slow))).rejects.toThrow('statement timeout');
});
