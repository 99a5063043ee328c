import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createEmbedded } from '../../src/database/embedded.ts';
import { records } from '../../src/sandbox/migrations/001-records.ts';
import { digestOf } from '../../src/sandbox/payments/access.ts';
import { sandboxProgram } from '../../src/sandbox/program.ts';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox.ts';
import { rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { emptyStorage } from '../support/storage.ts';
import { type AnyRecord, demoApp, openShop, smallestMerchant } from './shop.ts';

const embedded = inject('database') === 'PGlite';
const DISPUTE_DELAY_MS = 2_000;
const START = Date.UTC(2030, 0, 1);
const ada = { name: 'Ada', email: 'ada@example.com', address: 'London' };

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sandbox-storage-'));
  folders.push(folder);
  return folder;
}

/** An empty storage that outlives a sandbox: a database, or a folder for the embedded one. */
async function lastingStorage(): Promise<SandboxOptions> {
  return embedded ? { dataDir: newFolder() } : emptyStorage();
}

describe('after a restart on the same storage', () => {
  const made: Record<string, AnyRecord> = {};
  let sandbox: Sandbox;

  beforeAll(async () => {
    const storage = await lastingStorage();
    const before = await startTestSandbox({
      ...storage,
      environment: { clock: () => new Date(START) },
    });
    made.demoApp = before.demoApp;
    made.user = (await rest(before.usersUrl).post('/users', ada)).body;
    made.app = (await rest(before.paymentsUrl).post('/apps', { name: 'Till' })).body.app;
    const app = rest(before.paymentsUrl, made.app.key);
    made.merchant = (await app.post('/merchants', smallestMerchant)).body.merchant;
    const shop = await openShop(before, 'EUR', '0102');
    const { id } = await shop.charge(1000, { custom: { b: 1, a: [2] } });
    made.transaction = await shop.move('captures', id, { amount: 400 });
    await before.close();
    const again = await startTestSandbox({ ...storage, demoKey: 'given-key' });
    made.givenApp = again.demoApp;
    await again.close();
    const clock = () => new Date(START + DISPUTE_DELAY_MS);
    sandbox = await startTestSandbox({ ...storage, environment: { clock } });
  });
  afterAll(() => sandbox.close());

  test('user records are the same, and so are those of the demo data', async () => {
    const users = rest(sandbox.usersUrl);
    expect((await users.get(`/users/${made.user.id}`)).body).toEqual(made.user);
    expect((await users.get('/users')).body).toHaveLength(26);
  });

  test('apps keep their keys and their merchants', async () => {
    const { id, key } = made.app;
    const app = rest(sandbox.paymentsUrl, key);
    expect((await app.get('/me')).body.identity).toMatchObject({ id, name: 'Till' });
    expect((await app.get(`/identities/${id}/merchants?limit=9`)).body).toEqual([made.merchant]);
  });

  test('a demo key that was set once replaces the first one and is kept', async () => {
    expect(made.givenApp).toEqual({ id: made.demoApp.id, key: 'given-key' });
    expect(sandbox.demoApp).toEqual(made.givenApp);
    expect((await rest(sandbox.paymentsUrl, 'given-key').get('/me')).status).toBe(200);
    expect((await rest(sandbox.paymentsUrl, made.demoApp.key).get('/me')).status).toBe(401);
  });

  test('a dispute that became due meanwhile has its outcome, and everything else is unchanged', async () => {
    const { transaction: before } = made;
    const path = `/transactions/${before.id}`;
    const { transaction } = (await demoApp(sandbox).get(path)).body;
    expect(transaction).toEqual({ ...before, trail: [before.trail[0], transaction.trail[1]] });
    expect(transaction.trail[1].dispute.lost).toBe(true);
  });

  test('new ids are larger than all earlier ones', async () => {
    const { app } = (await rest(sandbox.paymentsUrl).post('/apps')).body;
    const { transaction } = (await demoApp(sandbox).get(`/transactions/${made.transaction.id}`))
      .body;
    expect(app.id > made.transaction.id).toBe(true);
    expect(app.id > transaction.trail[1].lineId).toBe(true);
  });
});

test('data of a newer version is rejected with a message, at every attempt', async () => {
  const storage = await lastingStorage();
  await writeVersion(storage, 99);
  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(startTestSandbox(storage)).rejects.toThrow(
      /data has version 99, but this sandbox supports versions up to \d+\. Use a newer Tillgraph/,
    );
  }
});

test('data of the first version is upgraded and keeps its records', async () => {
  const storage = await lastingStorage();
  const user = { id: 'kept', ...ada };
  const app = { id: '6a1d3c007469000061c5ff44', key: 'first-key' };
  await writeVersion(storage, 1, [
    ...records,
    `INSERT INTO user_record (id, name, email, address)
      VALUES ('${user.id}', '${user.name}', '${user.email}', '${user.address}')`,
    `INSERT INTO app VALUES ('${app.id}', 'Demo', '${app.key}', '${digestOf(app.key)}', now())`,
    `INSERT INTO demo_app VALUES ('${app.id}')`,
  ]);
  const sandbox = await startTestSandbox(storage);
  try {
    expect((await rest(sandbox.usersUrl).get('/users')).body).toEqual([user]);
    expect(sandbox.demoApp).toEqual(app);
    // The second version added saved cards.
    expect((await demoApp(sandbox).get('/cards/none')).status).toBe(404);
  } finally {
    await sandbox.close();
  }
});

/** Brings a storage to the given number of versions. */
async function writeVersion(
  { databaseUrl, dataDir = '' }: SandboxOptions,
  version: number,
  tables: readonly string[] = [],
) {
  const statements = [
    ...tables,
    'CREATE TABLE sandbox_migration (version integer PRIMARY KEY, applied timestamptz)',
    `INSERT INTO sandbox_migration VALUES (${version}, now())`,
  ];
  if (databaseUrl === undefined) {
    const database = await createEmbedded({ dataDir }).open(sandboxProgram);
    for (const statement of statements) await database.query(statement);
    return database.close();
  }
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  return client.end();
}

test.skipIf(!embedded)(
  'a folder in use is rejected with a message, and taken over with all records after its process was killed (PostgreSQL needs no folder)',
  async () => {
    const dataDir = newFolder();
    const child = await spawnSandbox(dataDir);
    try {
      const { body: user } = await rest(child.usersUrl).post('/users', ada);
      await expect(startTestSandbox({ dataDir })).rejects.toThrow(
        `${dataDir} is in use by process ${child.pid} on `,
      );
      await child.kill(); // no time to let go of anything
      const sandbox = await startTestSandbox({ dataDir });
      try {
        expect((await rest(sandbox.usersUrl).get(`/users/${user.id}`)).body).toEqual(user);
        await expect(startTestSandbox({ dataDir })).rejects.toThrow(
          `${dataDir} is in use by process ${process.pid} on `,
        );
      } finally {
        await sandbox.close();
      }
    } finally {
      await child.kill();
    }
  },
);

/** The sandbox as a separate process that is ready for requests. */
async function spawnSandbox(dataDir: string) {
  const none = { SANDBOX_USERS_PORT: '0', SANDBOX_PAYMENTS_PORT: '0', SANDBOX_POS_PORT: '0' };
  const args = [...inject('nodeFlags'), 'src/sandbox/main.ts'];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...none, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  let output = '';
  await new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`The sandbox did not start: ${output}`)));
    child.stdout.on('data', (chunk) => {
      output += chunk;
      if (output.includes('Try ')) resolve();
    });
  });
  return {
    pid: child.pid,
    usersUrl: /User records +(\S+)/.exec(output)?.[1] ?? '',
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
