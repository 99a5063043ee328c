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
