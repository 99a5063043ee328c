import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { type FaultProxy, passOn, startFaultProxy } from '../support/fault-proxy.ts';
import { createDatabase, type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import {
  type GatewayProcess,
  settingsFor,
  spawnGatewayProcess,
} from './support/gateway-process.ts';
import { resumeForwarding } from './support/kill-points.ts';
import { findOperation, movementInput, submit } from './support/money-client.ts';
import { endLeases } from './support/open-stores.ts';
import { openServiceLedger, type ServiceLedger } from './support/service-ledger.ts';

let sandbox: Sandbox;
let ledger: ServiceLedger;
let proxy: FaultProxy;
let server: PostgresServer;
/** Address of the gateway's database on that server. */
let url: string;
let gateway: GatewayProcess;
beforeAll(async () => {
  server = await startPostgres();
  sandbox = await startTestSandbox();
  ledger = await openServiceLedger(sandbox);
  proxy = await startFaultProxy(sandbox.paymentsUrl);
  url = await createDatabase(server.url);
  const settings = {
    ...settingsFor(sandbox, proxy.url),
    DATABASE_URL: url,
    DRAIN_DELAY_MS: '0',
  };
  gateway = await spawnGatewayProcess(settings, sandbox.demoApp.key);
});
afterAll(async () => {
  await gateway?.stop('SIGKILL');
  await proxy?.close();
  await sandbox?.close();
  await server?.stop();
});
beforeEach(async () => {
  resumeForwarding(proxy);
  proxy.requests.length = 0;
  await server.resume();
});

const posts = () => proxy.requests.filter((request) => request.startsWith('POST')).length;

const SUCCESS = 'CaptureTransactionSuccess';
const STORE_UNAVAILABLE = { __typename: 'RequestError', code: 'STORE_UNAVAILABLE' };
const ONCE = [{ kind: 'capture', amount: 400 }];

/** A transaction of which 400 are to be captured, and what its client does. */
async function prepare() {
  const input = movementInput(await ledger.createTransaction('capture'), 400);
  return {
    capture: () => submit(gateway.ask, 'capture', input),
    find: () => findOperation(gateway.ask, ledger.merchantId, input.idempotencyKey),
    read: () =>
      gateway.ask(`{ transaction(id: "${input.transactionId}") { amount { minorUnits } } }`),
    entries: () => ledger.entries(input.transactionId),
  };
}

test('while PostgreSQL is stopped nothing is sent and queries work; afterwards a capture succeeds', async () => {
  const { capture, read, find, entries } = await prepare();
  await server.halt();
  expect(await capture()).toMatchObject(STORE_UNAVAILABLE);
  expect(await capture()).toMatchObject(STORE_UNAVAILABLE);
  expect(posts()).toBe(0);
  expect(await read()).toEqual({
    status: 200,
    data: { transaction: { amount: { minorUnits: 1000 } } },
  });
  await server.resume();
  expect(await find()).toBeNull();
  expect(await capture()).toMatchObject({ __typename: SUCCESS, operation: { replayed: false } });
  expect(posts()).toBe(1);
  expect(await entries()).toEqual(ONCE);
});

test('if PostgreSQL stops between the claim and the POST, nothing is sent, and a repeat sends it when PostgreSQL works again', async () => {
  const { capture, entries } = await prepare();
  let reads = 0;
  proxy.onRead = async (...exchange) => {
    if (++reads === 2) await server.halt();
    await passOn(...exchange);
  };
  expect(await capture()).toMatchObject(STORE_UNAVAILABLE);
  expect(posts()).toBe(0);
  resumeForwarding(proxy);
  await server.resume();
  // The gateway has removed the claim, or a repeat waits until it has.
  expect(await capture()).toMatchObject({
    __typename: SUCCESS,
    operation: { evidence: 'ANSWERED', replayed: false },
  });
  expect(posts()).toBe(1);
  expect(await entries()).toEqual(ONCE);
});

test('if PostgreSQL stops during the POST, its success is returned at once, and recorded or found again later', async () => {
  const { capture, entries } = await prepare();
  proxy.onWrite = async (...exchange) => {
    await server.halt();
    await passOn(...exchange);
  };
  expect(await capture()).toMatchObject({
    __typename: SUCCESS,
    operation: { status: 'SUCCEEDED', evidence: 'ANSWERED', replayed: false },
  });
  await server.resume();
  await endLeases(url);
  expect(await capture()).toMatchObject({
    __typename: SUCCESS,
    operation: { evidence: expect.stringMatching(/^(ANSWERED|READ_BACK)$/), replayed: true },
  });
  expect(posts()).toBe(1);
  expect(await entries()).toEqual(ONCE);
});

test('while PostgreSQL does not answer, and when it closes connections, nothing is sent and queries work', async () => {
  const { capture, read, entries } = await prepare();
  const blocking = new pg.Client({ connectionString: url });
  await blocking.connect();
  onTestFinished(() => blocking.end());
  await blocking.query('BEGIN');
  await blocking.query('LOCK TABLE money_operation');
  expect(await capture()).toMatchObject(STORE_UNAVAILABLE);
  const disconnected = capture();
  // Closes the connection as soon as a statement of the gateway waits in its transaction.
  for (let closed: number | null = 0; closed === 0; ) {
    ({ rowCount: closed } = await blocking.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks
       WHERE NOT granted AND relation = 'money_operation'::regclass`,
    ));
  }
  expect(await disconnected).toMatchObject(STORE_UNAVAILABLE);
  expect(await read()).toMatchObject({ status: 200, data: { transaction: {} } });
  expect(posts()).toBe(0);
  await blocking.query('ROLLBACK');
  expect(await capture()).toMatchObject({ __typename: SUCCESS, operation: { replayed: false } });
  expect(await entries()).toEqual(ONCE);
});

test('a claim that a frozen PostgreSQL makes later is withdrawn, and its key can be used at once', async () => {
  const prepared = await Promise.all(Array.from({ length: 4 }, prepare));
  // Each leaves a connection on which the server can receive a claim while it is frozen.
  await Promise.all(prepared.map(({ find }) => find()));
  await server.freeze();
  onTestFinished(server.thaw);
  for (const answer of await Promise.all(prepared.map(({ capture }) => capture()))) {
    expect(answer).toMatchObject(STORE_UNAVAILABLE);
  }
  server.thaw();
  for (const { capture, entries } of prepared) {
    expect(await capture()).toMatchObject({ __typename: SUCCESS, operation: { replayed: false } });
    expect(await entries()).toEqual(ONCE);
  }
  expect(posts()).toBe(prepared.length);
});

// Last, because it stops the gateway.
test('the log says which outcome could not be recorded at once', async () => {
  const { capture } = await prepare();
  proxy.onWrite = async (...exchange) => {
    await server.halt();
    await passOn(...exchange);
  };
  expect(await capture()).toMatchObject({ __typename: SUCCESS });
  await server.resume();
  expect((await gateway.stop()).stderr).toMatch(
    /"msg":"the outcome of money operation \S+ could not be recorded yet: SUCCEEDED"/,
  );
});
