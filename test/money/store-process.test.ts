import pg from 'pg';
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject,
  onTestFinished,
  test,
} from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { createEmbedded } from '../../src/database/embedded.ts';
import { openServer } from '../../src/database/server.ts';
import { gatewayProgram } from '../../src/gateway/operation/store/open-store.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { type FaultProxy, passOn, startFaultProxy } from '../support/fault-proxy.ts';
import { newKey } from '../support/new-key.ts';
import { createDatabase, type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { type Settings, usedFolder } from '../support/program.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { type Books, openBooks } from './books.ts';
import { inFrontOf, runGatewayProcess, startGatewayProcess } from './gateway-process.ts';
import { calm } from './kill-points.ts';
import { movements } from './movement.ts';

let sandbox: Sandbox;
let books: Books;
let proxy: FaultProxy;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  books = await openBooks(sandbox);
  proxy = await startFaultProxy(sandbox.paymentsUrl);
});
afterAll(async () => {
  await proxy?.close();
  await sandbox?.close();
});
beforeEach(() => {
  calm(proxy);
  proxy.requests.length = 0;
});

/** A short lease, for what a store forgot to be told of. */
const LEASE: Settings = { UPSTREAM_WRITE_MS: '1000', MONEY_LEASE_MS: '2000' };
const settingsOf = (store: Settings) => ({ ...inFrontOf(sandbox, proxy.url), ...LEASE, ...store });
const start = (store: Settings) => startGatewayProcess(settingsOf(store), sandbox.demoApp.key);
const posts = () => proxy.requests.filter((request) => request.startsWith('POST')).length;

describe('a DATA_DIR', () => {
  test('belongs to one gateway; a second one ends and says what to do', async () => {
    const DATA_DIR = usedFolder();
    const first = await start({ DATA_DIR });
    expect(await runGatewayProcess(settingsOf({ DATA_DIR }))).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: expect.stringMatching(
        new RegExp(
          `^DATA_DIR ${DATA_DIR} is in use by process ${first.pid} on \\S+\\. Run one Tillgraph per DATA_DIR, or set DATABASE_URL \\(gateway\\) and SANDBOX_DATABASE_URL \\(sandbox\\) to use a PostgreSQL server\\.\n$`,
        ),
      ),
    });
    const id = await books.charge('capture');
    const moved = await movements(first.ask).move('capture', id, 400, newKey());
    expect(moved).toMatchObject({ ended: 'Success' });
  });

  test('whose gateway was killed is taken over, with all that it knew', async () => {
    const DATA_DIR = usedFolder();
    const first = await start({ DATA_DIR });
    const id = await books.charge('capture');
    const key = newKey();
    await movements(first.ask).move('capture', id, 400, key);
    await first.stop('SIGKILL');
    const second = await start({ DATA_DIR });
    expect(await movements(second.ask).move('capture', id, 400, key)).toMatchObject({
      ended: 'Success',
      operation: { status: 'SUCCEEDED', evidence: 'ANSWERED', replayed: true },
    });
    expect(await books.entries(id)).toEqual([{ kind: 'capture', amount: 400 }]);
  });
});

interface Place {
  readonly settings: Settings;
  /** The store itself, while no gateway has it. */
  open(): Promise<Database>;
}

const places: Record<string, () => Promise<Place>> = {
  PGlite: async () => {
    const DATA_DIR = usedFolder();
    const embedded = createEmbedded({ dataDir: DATA_DIR });
    return { settings: { DATA_DIR }, open: () => embedded.open(gatewayProgram) };
  },
  PostgreSQL: async () => {
    const url = await createDatabase(inject('postgresUrl'));
    return { settings: { DATABASE_URL: url }, open: () => openServer(url) };
  },
};

describe.each(Object.entries(places))('a store on %s', (_name, find) => {
  test('is left alone when it is newer than the gateway, or another one made it', async () => {
    const { settings, open } = await find();
    await (await start(settings)).stop();

    async function change(sql: string): Promise<void> {
      const database = await open();
      await database.query(sql);
      await database.close();
    }
    const refused = (words: RegExp) => ({
      code: 1,
      signal: null,
      stdout: '',
      stderr: expect.stringMatching(words),
    });
    await change('INSERT INTO store_migration (version) VALUES (999)');
    expect(await runGatewayProcess(settingsOf(settings))).toEqual(
      refused(
        /^The gateway's data has version 999, but this gateway supports versions up to \d+\. Use a newer Tillgraph, or another DATA_DIR or DATABASE_URL\.\n$/,
      ),
    );
    await change('DELETE FROM store_migration WHERE version = 999');
    const { pid, stop } = await start(settings);
    expect(pid).toBeGreaterThan(0);
    await stop();
    await change(`UPDATE store_migration SET sha256 = 'of another file' WHERE version = 1`);
    expect(await runGatewayProcess(settingsOf(settings))).toEqual(
      refused(
        /^Version 1 of the gateway's data was created by a different build of Tillgraph\. Use that build, or another DATA_DIR or DATABASE_URL\.\n$/,
      ),
    );
  });
});

/** Below the next time limit, which is the caller's deadline of 15 s. The store's own is 2 s. */
const SOON_MS = 14_000;
const ONCE = [{ kind: 'capture', amount: 400 }];
const STORE_UNAVAILABLE = { ended: 'RequestError', code: 'STORE_UNAVAILABLE' };

describe('a PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server?.stop());
  beforeEach(() => server.resume());

  /** A gateway on a database of its own, and a transaction with one capture to make. */
  async function prepare() {
    const url = await createDatabase(server.url);
    const gateway = await start({ DATABASE_URL: url });
    const id = await books.charge('capture');
    const key = newKey();
    const { find, move } = movements(gateway.ask);
    return {
      url,
      gateway,
      entries: () => books.entries(id),
      capture: () => move('capture', id, 400, key),
      find: () => find(id, key),
      read: () => gateway.ask(`{ transaction(id: "${id}") { amount { minorUnits } } }`),
    };
  }

  async function timed<T>(work: Promise<T>): Promise<T> {
    const begun = Date.now();
    const result = await work;
    expect(Date.now() - begun).toBeLessThan(SOON_MS);
    return result;
  }

  /** Repeats, as a caller does who is told to wait. */
  async function untilKnown<T extends { operation?: { status: string } }>(
    capture: () => Promise<T>,
  ): Promise<T> {
    const deadline = Date.now() + 120_000;
    for (;;) {
      const answer = await capture();
      if (answer.operation?.status !== 'IN_PROGRESS' || Date.now() > deadline) return answer;
    }
  }

  test('that stops stops money, nothing else, and only until it is back', async () => {
    const { capture, read, find, entries } = await prepare();
    await server.halt();
    expect(await timed(capture())).toMatchObject(STORE_UNAVAILABLE);
    expect(await timed(capture())).toMatchObject(STORE_UNAVAILABLE);
    expect(posts()).toBe(0);
    expect(await read()).toEqual({
      status: 200,
      data: { transaction: { amount: { minorUnits: 1000 } } },
    });
    await server.resume();
    expect(await find()).toBeNull();
    expect(await capture()).toMatchObject({ ended: 'Success', operation: { replayed: false } });
    expect(posts()).toBe(1);
    expect(await entries()).toEqual(ONCE);
  });

  test('that stops between the claim and the POST lets nothing be sent', async () => {
    const { capture, entries } = await prepare();
    let reads = 0;
    proxy.onRead = async (forward, response, request) => {
      if (++reads === 2) await server.halt();
      await passOn(forward, response, request);
    };
    expect(await capture()).toMatchObject(STORE_UNAVAILABLE);
    expect(posts()).toBe(0);
    calm(proxy);
    await server.resume();
    expect(await untilKnown(capture)).toMatchObject({
      ended: 'Success',
      operation: { evidence: 'ANSWERED', replayed: false },
    });
    expect(posts()).toBe(1);
    expect(await entries()).toEqual(ONCE);
  });

  test('that stops during the POST does not make a success unknown', async () => {
    const { gateway, capture, entries } = await prepare();
    proxy.onWrite = async (forward, response, request) => {
      await server.halt();
      await passOn(forward, response, request);
    };
    expect(await capture()).toMatchObject({
      ended: 'Success',
      operation: { status: 'SUCCEEDED', evidence: 'ANSWERED', replayed: false },
    });
    await server.resume();
    expect(await untilKnown(capture)).toMatchObject({
      ended: 'Success',
      operation: { evidence: 'READ_BACK', replayed: true },
    });
    expect(posts()).toBe(1);
    expect(await entries()).toEqual(ONCE);
    expect((await gateway.stop()).stderr).toMatch(
      /^the outcome of money operation \S+ could not be recorded: SUCCEEDED\n$/,
    );
  });

  test('that is silent, then breaks the line, stops money and nothing else', async () => {
    const { url, capture, read, entries } = await prepare();
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query('BEGIN');
    await other.query('LOCK TABLE money_operation');
    expect(await timed(capture())).toMatchObject(STORE_UNAVAILABLE);
    const told = timed(capture());
    // As soon as the gateway's statement waits, inside its transaction.
    for (let broken: number | null = 0; broken === 0; ) {
      ({ rowCount: broken } = await other.query(
        `SELECT pg_terminate_backend(pid) FROM pg_locks
         WHERE NOT granted AND relation = 'money_operation'::regclass`,
      ));
    }
    expect(await told).toMatchObject(STORE_UNAVAILABLE);
    expect(await read()).toMatchObject({ status: 200, data: { transaction: {} } });
    expect(posts()).toBe(0);
    await other.query('ROLLBACK');
    expect(await capture()).toMatchObject({ ended: 'Success', operation: { replayed: false } });
    expect(await entries()).toEqual(ONCE);
  });
});
