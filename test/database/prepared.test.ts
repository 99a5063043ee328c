import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { openServer } from '../../src/database/server.ts';
import { preparedPostgres } from '../support/storage.ts';

const ADD = 'INSERT INTO added VALUES ($1) RETURNING value';

/** Two programs with one database. Each uses one connection, because it runs one statement at a time. */
async function openTwice(): Promise<[Database, Database]> {
  const url = await preparedPostgres();
  const open = async () => {
    const database = await openServer(url);
    onTestFinished(() => database.close());
    return database;
  };
  const [one, other] = [await open(), await open()];
  await one.query('CREATE TABLE added (value integer)');
  return [one, other];
}

function readPrepared(database: Database) {
  return database.query<{ name: string; statement: string }>(
    `SELECT name, statement FROM pg_prepared_statements WHERE name <> ''`,
  );
}

async function readAdded(database: Database): Promise<number[]> {
  const rows = await database.query<{ value: number }>('SELECT value FROM added ORDER BY value');
  return rows.map(({ value }) => value);
}

test('the server plans a statement once', async () => {
  const [database] = await openTwice();
  expect(await database.prepared(ADD, [1])).toEqual([{ value: 1 }]);
  expect(await database.prepared(ADD, [2])).toEqual([{ value: 2 }]);
  expect(await readPrepared(database)).toEqual([
    { name: expect.stringMatching(/^tillgraph_[0-9a-f]{32}$/), statement: ADD },
  ]);
});

test('a statement that a pooler has prepared on another connection is executed once, without a name', async () => {
  const [database] = await openTwice();
  await database.prepared(ADD, [1]);
  await database.query('DEALLOCATE ALL');
  expect(await database.prepared(ADD, [2])).toEqual([{ value: 2 }]);
  await database.prepared(ADD, [3]);
  expect(await readPrepared(database)).toEqual([]);
  expect(await readAdded(database)).toEqual([1, 2, 3]);
});

test('a statement that another client of a pooler has prepared is executed once', async () => {
  const [database, other] = await openTwice();
  await other.prepared(ADD, [1]);
  const [known] = await readPrepared(other);
  await database.query(`PREPARE ${known?.name} AS ${ADD}`);
  expect(await database.prepared(ADD, [2])).toEqual([{ value: 2 }]);
  expect(await readAdded(database)).toEqual([1, 2]);
});

test('any other error of a statement is passed on', async () => {
  const [database] = await openTwice();
  await database.prepared(ADD, [1]);
  await expect(database.prepared(ADD, ['text'])).rejects.toThrow('invalid input syntax');
  await database.prepared(ADD, [2]);
  expect(await readPrepared(database)).toHaveLength(1);
  expect(await readAdded(database)).toEqual([1, 2]);
});
