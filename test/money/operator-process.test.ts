import { readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { openServer } from '../../src/database/server.ts';
import { openForOperator } from '../../src/gateway/money/commands/open-for-operator.ts';
import { OperatorError } from '../../src/gateway/money/commands/operator.ts';
import { openStore, type StoreOptions } from '../../src/gateway/money/store/open-store.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { createDatabase } from '../support/postgres-server.ts';
import type { Ended, Running } from '../support/process.ts';
import {
  emptyFolder,
  type Settings,
  startNode,
  startProgram,
  usedFolder,
  usedPostgres,
} from '../support/program.ts';
import { preparedPostgres } from '../support/storage.ts';
import { newCapture, TRAIL_SNAPSHOT } from './support/new-intent.ts';

const NO_TRANSACTION = '0123456789abcdef01234567';
const PROGRAM = 'bin/tillgraph.js';

/** Starts `tillgraph money …` in its own process. */
function start(settings: Settings, ...args: string[]): Running {
  return startNode([PROGRAM, 'money', ...args], settings);
}

function run(settings: Settings, ...args: string[]): Promise<Ended> {
  return start(settings, ...args).ended;
}

/** How a command ends that is not possible. */
const impossible = (stderr: unknown) => ({ code: 2, signal: null, stdout: '', stderr });

/** Stores an operation whose outcome is unknown, and returns its id. */
async function addOperation(storage: Omit<StoreOptions, 'leaseMs'>): Promise<string> {
  const store = await openStore({ ...storage, leaseMs: 30_000 });
  const { operation } = await store.claim({ ...newCapture(), transactionId: NO_TRANSACTION });
  await store.startSending(operation, TRAIL_SNAPSHOT, false);
  await store.record(operation, { to: 'UNKNOWN', response: null });
  await store.close();
  return operation.id;
}

async function openRaw(url: string): Promise<Database> {
  const database = await openServer(url);
  onTestFinished(() => database.close());
  return database;
}

describe('on a DATA_DIR', () => {
  test('lists and settles operations while the gateway is stopped, and nothing while it runs', async () => {
    const folder = usedFolder();
    const id = await addOperation({ dataDir: folder });
    const settings = { DATA_DIR: folder };
    const program = await startProgram(settings);
    const inUse = `DATA_DIR ${folder} is in use by process ${program.pid} on ${hostname()}. With the embedded database, stop the gateway before you run this command.\n`;
    const settle = ['resolve', id, '--not-applied', '--unverified', '--note', 'checked'];
    expect(await run(settings, 'list')).toEqual(impossible(inUse));
    expect(await run(settings, ...settle)).toEqual(impossible(inUse));
    expect(await program.stop()).toMatchObject({ code: 0 });

    const listed = await run(settings, 'list', '--open');
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toContain(`${id}  UNKNOWN  CAPTURE 0.40 EUR`);
    expect(await run(settings, ...settle)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('CAPTURE 0.40 EUR is NOT_APPLIED. Not verified'),
      stderr: '',
    });
    expect(await run(settings, 'watch')).toEqual(
      impossible(expect.stringContaining('`watch` needs DATABASE_URL.')),
    );
  });

  test('creates no record where only the sandbox has stored data', async () => {
    const folder = emptyFolder();
    await (await startSandbox({ dataDir: folder })).close();
    for (let attempt = 0; attempt < 2; attempt++) {
      const opened = openForOperator({ dataDir: folder, leaseMs: 30_000 });
      await expect(opened).rejects.toThrow(OperatorError);
      await expect(opened).rejects.toThrow('There is no store of money operations in ');
    }
  });

  test('creates nothing where no gateway has stored data', async () => {
    const folder = emptyFolder();
    expect(await run({ DATA_DIR: folder }, 'list', '--open')).toEqual(
      impossible(
        `There is no store of money operations in ${folder}. Set DATA_DIR or DATABASE_URL as for the gateway.\n`,
      ),
    );
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('on PostgreSQL', () => {
  test('settles operations while a gateway runs, reads the service, and follows until Ctrl-C', async () => {
    const storage = await usedPostgres();
    const { DATABASE_URL = '' } = storage;
    const id = await addOperation({ databaseUrl: DATABASE_URL });
    const program = await startProgram(storage);
    const settings = { DATABASE_URL, PAYMENTS_URL: program.paymentsUrl };
    const watching = start(settings, 'watch');
    await watching.printed(new RegExp(`${id}  UNKNOWN`));
    const withKey = { ...settings, MONEY_OPERATOR_API_KEY: program.demoKey };
    const settle = ['resolve', id, '--not-applied', '--note', 'checked'];
    expect(await run(withKey, ...settle)).toEqual(
      impossible(`The app key finds no transaction ${NO_TRANSACTION}.\n`),
    );
    expect(await run(settings, ...settle, '--unverified')).toMatchObject({ code: 0, stderr: '' });
    await watching.printed(new RegExp(`${id}  NOT_APPLIED`));
    const reopen = ['reopen', id, '--note', 'too early'];
    expect(await run(settings, ...reopen)).toMatchObject({ code: 0, stderr: '' });
    await watching.printed(new RegExp(`(${id}  UNKNOWN[^]*){2}`));
    expect(await watching.stop('SIGINT')).toMatchObject({ code: 0, signal: null, stderr: '' });
  });

  test('creates nothing in a database that no gateway has used', async () => {
    const DATABASE_URL = await createDatabase(inject('postgresUrl'));
    expect(await run({ DATABASE_URL }, 'list')).toEqual(
      impossible(
        expect.stringMatching(
          /^There is no store of money operations in PostgreSQL \S+\. Set DATA_DIR or DATABASE_URL as for the gateway\.\n$/,
        ),
      ),
    );
    const database = await openRaw(DATABASE_URL);
    const tables = `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace`;
    expect(await database.query(tables)).toEqual([]);
  });

  test.each([
    ['DELETE FROM store_migration', /^The gateway's data has version 0, but this command needs/],
    [
      'INSERT INTO store_migration SELECT max(version) + 1 FROM store_migration',
      /^The gateway's data has version \d+, but this gateway supports/,
    ],
    [
      `UPDATE store_migration SET sha256 = 'another'`,
      /^Version 1 of the gateway's data was created by a different build/,
    ],
    [
      'DROP TABLE store_migration; CREATE TABLE store_migration (id integer)',
      /^The gateway's data has version 0, but this command needs/,
    ],
  ])('opens no store of another version: %s', async (statement, message) => {
    const DATABASE_URL = await preparedPostgres();
    const database = await openRaw(DATABASE_URL);
    await database.query(statement);
    const columns = `SELECT table_name, column_name FROM information_schema.columns
      WHERE table_schema = 'public' ORDER BY 1, 2`;
    const before = await database.query(columns);
    const opened = openForOperator({ databaseUrl: DATABASE_URL, leaseMs: 30_000 });
    await expect(opened).rejects.toThrow(OperatorError);
    await expect(opened).rejects.toThrow(message);
    expect(await database.query(columns)).toEqual(before);
  });

  test('fails without the password in the message if the server cannot be reached', async () => {
    const DATABASE_URL = 'postgresql://anna:secret@127.0.0.1:9/tillgraph';
    expect(await run({ DATABASE_URL }, 'list')).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: 'DATABASE_URL: PostgreSQL 127.0.0.1:9/tillgraph cannot be used (ECONNREFUSED).\n',
    });
  });
});

test('an invalid command prints how to use it and opens nothing', async () => {
  const folder = emptyFolder();
  expect(await run({ DATA_DIR: folder }, 'forget')).toEqual(
    impossible(expect.stringContaining('Usage: tillgraph money <command>')),
  );
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  [['--help'], 0, 'Usage: tillgraph <command>\n\n  money '],
  [['money', '--help'], 0, 'Exit codes:\n  0 '],
  [['money', 'list', '-h'], 0, 'Exit codes:\n  0 '],
  [[], 2, 'Usage: tillgraph <command>\n\n  money '],
  [['list'], 2, 'Usage: tillgraph <command>\n\n  money '],
])('`tillgraph` with %j explains itself', async (args, code, text) => {
  const invalid = { PORT: 'abc', DATABASE_URL: 'abc' };
  const { code: ended, stdout, stderr } = await startNode([PROGRAM, ...args], invalid).ended;
  expect({ ended, text: code === 0 ? stdout : stderr }).toEqual({
    ended: code,
    text: expect.stringContaining(text),
  });
  expect(code === 0 ? stderr : stdout).toBe('');
});
