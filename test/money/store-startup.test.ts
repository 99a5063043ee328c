import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEmbedded } from '../../src/database/embedded.ts';
import { migrate } from '../../src/database/migrate.ts';
import type { Storage } from '../../src/database/open.ts';
import { openServer } from '../../src/database/server.ts';
import { gatewayProgram, openStore } from '../../src/gateway/money/store/open-store.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { type Settings, usedFolder } from '../support/program.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { preparedPostgres } from '../support/storage.ts';
import { runGatewayProcess, settingsFor, startGatewayProcess } from './support/gateway-process.ts';
import { movementInput, submit } from './support/money-client.ts';
import { openServiceLedger, type ServiceLedger } from './support/service-ledger.ts';

let sandbox: Sandbox;
let ledger: ServiceLedger;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  ledger = await openServiceLedger(sandbox);
});
afterAll(() => sandbox?.close());

const start = (store: Settings) =>
  startGatewayProcess({ ...settingsFor(sandbox), ...store }, sandbox.demoApp.key);

test('a DATA_DIR belongs to one gateway until that is killed; then the next one has its operations', async () => {
  const DATA_DIR = usedFolder();
  const first = await start({ DATA_DIR });
  expect(await runGatewayProcess({ ...settingsFor(sandbox), DATA_DIR })).toEqual({
    code: 1,
    signal: null,
    stdout: '',
    stderr: expect.stringMatching(
      new RegExp(
        `^DATA_DIR ${DATA_DIR} is in use by process ${first.pid} on \\S+\\. Run one Tillgraph per DATA_DIR, or set DATABASE_URL \\(gateway\\) and SANDBOX_DATABASE_URL \\(sandbox\\) to use a PostgreSQL server\\.\n$`,
      ),
    ),
  });
  const input = movementInput(await ledger.createTransaction('capture'), 400);
  const operation = { status: 'SUCCEEDED', evidence: 'ANSWERED', replayed: false };
  expect(await submit(first.ask, 'capture', input)).toMatchObject({
    __typename: 'CaptureTransactionSuccess',
    operation,
  });
  await first.stop('SIGKILL');
  const second = await start({ DATA_DIR });
  expect(await submit(second.ask, 'capture', input)).toMatchObject({
    __typename: 'CaptureTransactionSuccess',
    operation: { ...operation, replayed: true },
  });
  expect(await ledger.entries(input.transactionId)).toEqual([{ kind: 'capture', amount: 400 }]);
});

const NEVER_EMPTY =
  'Never use an empty database in its place: operations that clients repeat would move money twice.';
const NEWER = `The gateway's data has version 999, but this gateway supports versions up to ${gatewayProgram.migrations.length}. Use a newer Tillgraph. ${NEVER_EMPTY}`;
const CHANGED = `Version 1 of the gateway's data was created by a different build of Tillgraph. Use that build. ${NEVER_EMPTY}`;

const newerVersion = 'INSERT INTO store_migration (version) VALUES (999)';
const knownVersion = 'DELETE FROM store_migration WHERE version = 999';
const otherMigration = `UPDATE store_migration SET sha256 = 'of another file' WHERE version = 1`;

const storages: [string, () => Promise<Storage>][] = [
  ['PGlite', async () => ({ dataDir: usedFolder() })],
  ['PostgreSQL', async () => ({ databaseUrl: await preparedPostgres() })],
];

test.each(storages)(
  'a store in %s with a newer version or another migration is rejected and not changed',
  async (_name, create) => {
    const storage = await create();
    const open = () => openStore({ ...storage, leaseMs: 30_000 });
    await run(storage, newerVersion);
    await expect(open()).rejects.toThrow(NEWER);
    await run(storage, knownVersion, otherMigration);
    await expect(open()).rejects.toThrow(CHANGED);
    const migrations = await run(
      storage,
      'SELECT version, sha256 FROM store_migration ORDER BY version',
    );
    expect(migrations).toHaveLength(gatewayProgram.migrations.length);
    expect(migrations[0]).toEqual({ version: 1, sha256: 'of another file' });
  },
);

test('a store that a newer version has upgraded still works if that version says so', async () => {
  const databaseUrl = await preparedPostgres();
  const known = gatewayProgram.migrations.length;
  const upgraded = {
    ...gatewayProgram,
    migrations: [...gatewayProgram.migrations, ['CREATE TABLE later (id integer)']],
  };
  const upgrade = async (oldestCompatible: number) => {
    const database = await openServer(databaseUrl);
    await migrate(database, { ...upgraded, oldestCompatible });
    await database.close();
  };
  await upgrade(known);
  const gateway = await start({ DATABASE_URL: databaseUrl });
  const input = movementInput(await ledger.createTransaction('capture'), 300);
  expect(await submit(gateway.ask, 'capture', input)).toMatchObject({
    __typename: 'CaptureTransactionSuccess',
  });
  await gateway.stop();
  await run(
    { databaseUrl },
    `DELETE FROM store_migration WHERE version > ${known}`,
    'DROP TABLE later',
  );
  await upgrade(known + 1);
  const open = openStore({ databaseUrl, leaseMs: 30_000 });
  await expect(open).rejects.toThrow(`has version ${known + 1}, but this gateway supports`);
});

test('a gateway whose store is rejected ends with the message', async () => {
  const databaseUrl = await preparedPostgres();
  await run({ databaseUrl }, newerVersion);
  expect(await runGatewayProcess({ ...settingsFor(sandbox), DATABASE_URL: databaseUrl })).toEqual({
    code: 1,
    signal: null,
    stdout: '',
    stderr: `${NEWER}\n`,
  });
});

/** Runs statements in a store that no gateway uses. Returns the rows of the last one. */
async function run(storage: Storage, ...statements: string[]): Promise<unknown[]> {
  const { databaseUrl } = storage;
  const database = await (databaseUrl === undefined
    ? createEmbedded(storage).open(gatewayProgram)
    : openServer(databaseUrl));
  let rows: unknown[] = [];
  for (const sql of statements) rows = await database.query(sql);
  await database.close();
  return rows;
}
