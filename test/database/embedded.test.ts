import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as elapse } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Database, Program } from '../../src/database/database.ts';
import { createEmbedded, type Embedded } from '../../src/database/embedded.ts';
import { preparedDataDir } from '../support/storage.ts';

const program = (name: string): Program => ({
  name,
  urlSetting: '',
  migrationTable: 'migration',
  migrationLock: 1,
  migrations: [],
});
const [one, other] = [program('one'), program('other')];

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tillgraph-embedded-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

let shared: Embedded;
let keepOpen: Database;
beforeAll(async () => {
  shared = createEmbedded();
  keepOpen = await shared.open(program('nobody'));
});
afterAll(() => keepOpen?.close());

let pairs = 0;

/** Two programs on one database, each with a table `item` that the other must not see. */
async function openPair(): Promise<[Database, Database]> {
  pairs++;
  const pair: [Database, Database] = [
    await shared.open(program(`one ${pairs}`)),
    await shared.open(program(`other ${pairs}`)),
  ];
  onTestFinished(async () => {
    for (const database of pair) await database.close();
  });
  for (const database of pair) await database.query('CREATE TABLE item (name text)');
  return pair;
}

async function items(database: Database): Promise<string[]> {
  const rows = await database.query<{ name: string }>('SELECT name FROM item ORDER BY name');
  return rows.map(({ name }) => name);
}

const insert = 'INSERT INTO item VALUES ($1)';

test('two programs on one database use tables of the same name without seeing each other', async () => {
  const [first, second] = await openPair();
  await first.query(insert, ['a']);
  await second.query(insert, ['b']);
  await first.transaction((tx) => tx.query(insert, ['c']));
  expect(await items(first)).toEqual(['a', 'c']);
  expect(await items(second)).toEqual(['b']);
  await first.query('CREATE TABLE own (name text)');
  await expect(second.query('SELECT FROM own')).rejects.toThrow('"own" does not exist');
});

test('statements and transactions of two programs at the same time stay apart', async () => {
  const [first, second] = await openPair();
  const names = Array.from({ length: 20 }, (_, index) => String(index + 10));
  await Promise.all(
    names.flatMap((name) => [
      first.query(insert, [`first ${name}`]),
      second.transaction(async (tx) => {
        await tx.query(insert, [`second ${name}`]);
        await tx.query('SELECT FROM item');
      }),
      second.query(insert, [`third ${name}`]),
    ]),
  );
  expect(await items(first)).toEqual(names.map((name) => `first ${name}`));
  expect(await items(second)).toEqual(
    ['second', 'third'].flatMap((kind) => names.map((name) => `${kind} ${name}`)),
  );
});

test('after a failed statement or transaction each program still has its own schema', async () => {
  const [first, second] = await openPair();
  await first.query(insert, ['kept']);
  await expect(second.query('SELECT FROM nothing')).rejects.toThrow('does not exist');
  await expect(
    second.transaction(async (tx) => {
      await tx.query(insert, ['undone']);
      await tx.query('SELECT FROM nothing');
    }),
  ).rejects.toThrow('does not exist');
  expect(await items(second)).toEqual([]);
  expect(await items(first)).toEqual(['kept']);
});

test('amounts are numbers, up to the largest exact integer of JavaScript', async () => {
  const [first] = await openPair();
  const sql = 'SELECT 9007199254740991::bigint AS amount';
  expect(await first.query(sql)).toEqual([{ amount: Number.MAX_SAFE_INTEGER }]);
});

test('a program that closes its part does not affect the other one, and one database at a time uses the folder', async () => {
  const dataDir = preparedDataDir();
  const embedded = createEmbedded({ dataDir });
  const [first, second] = [await embedded.open(one), await embedded.open(other)];
  await second.query('CREATE TABLE item (name text)');
  await first.close();
  await first.close();
  await expect(first.query('SELECT 1')).rejects.toThrow('The database is closed.');
  await expect(first.transaction(async () => {})).rejects.toThrow('The database is closed.');
  await second.query(insert, ['kept']);
  await second.close();
  expect(readdirSync(dataDir)).toEqual(['database']);

  const again = await embedded.open(other);
  expect(await items(again)).toEqual(['kept']);
  await expect(createEmbedded({ dataDir }).open(one)).rejects.toThrow(
    `DATA_DIR ${dataDir} is in use by process ${process.pid} on `,
  );
  await again.close();
});

test('opening what does not exist does not create it', async () => {
  const dataDir = newFolder();
  const embedded = createEmbedded({ dataDir });
  expect(await embedded.openExisting(one)).toBeUndefined();
  expect(readdirSync(dataDir)).toEqual([]);

  await (await embedded.open(other)).close();
  expect(await embedded.openExisting(one)).toBeUndefined();
  expect(await embedded.openExisting(one)).toBeUndefined();
  const found = await embedded.openExisting(other);
  expect(await found?.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  await found?.close();
  expect(readdirSync(dataDir)).toEqual(['database']);
});

test('a statement that takes long does not hold up the process', async () => {
  let isDone = false;
  const counted = keepOpen.query('SELECT count(*) FROM generate_series(1, 3000000)').then(() => {
    isDone = true;
  });
  await elapse(1);
  expect(isDone).toBe(false);
  await counted;
});
