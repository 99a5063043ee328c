import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Operation } from '../../src/gateway/operation/operation.ts';
import { readGatewaySettings } from '../../src/gateway/settings.ts';
import { type Fault, passOn } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { startGateway } from '../support/start-stack.ts';
import { type Bench, startBench } from './bench.ts';
import { creations, IMPATIENT, type Wanted } from './creation.ts';
import { keptOpen, type OpenedStore, openedStores } from './open-stores.ts';
import { documentOf, type MoneyMutation, submit } from './submit.ts';

const [, open] = openedStores[0] as (typeof openedStores)[0];

let bench: Bench;
let opened: OpenedStore;
let merchant: { readonly id: string; readonly rawId: string };
beforeAll(async () => {
  opened = await open();
  bench = await startBench({ ...IMPATIENT, store: keptOpen(opened.store) });
  merchant = await given(bench.stack).merchant();
});
afterAll(async () => {
  await bench?.close();
  await opened?.store.close();
});

let watcher: Awaited<ReturnType<typeof startGateway>> | undefined;
beforeEach(() => bench.reset());
afterEach(async () => {
  vi.useRealTimers();
  await watcher?.close();
  watcher = undefined;
});

/** The service has done it; the line is cut, and stays so. */
const cut: Fault = async (forward, response) => {
  await forward();
  response.destroy();
  bench.proxy.onRead = (_forward, read) => {
    read.destroy();
  };
};

const lost: Fault = (_forward, response) => {
  response.destroy();
};

/** Sends what ends unknown; the answer has errors where it can read no transaction. */
async function leaveUnknown(mutation: MoneyMutation, input: object, fault: Fault): Promise<void> {
  bench.proxy.onWrite = fault;
  const { data } = await bench.ask(documentOf(mutation), { input });
  expect(data.result).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  bench.reset();
}

/** A capture of 1000 that ends unknown. */
async function capture(minorUnits: number, fault: Fault) {
  const transactionId = await given(bench.stack).transaction(1000);
  const amount = { minorUnits, currency: 'EUR' };
  const input = { transactionId, amount, idempotencyKey: newKey() };
  await leaveUnknown('capture', input, fault);
  return input;
}

/** Another gateway on the same store, whose patience the test can wind on from here. */
async function startWatcher(settings: NodeJS.ProcessEnv): Promise<void> {
  const { usersUrl, posUrl } = bench.stack.sandbox;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  watcher = await startGateway({
    money: readGatewaySettings(settings).money,
    store: keptOpen(opened.store),
    services: { usersUrl, posUrl, paymentsUrl: bench.proxy.url },
  });
}

const withKey = () => ({ MONEY_RECONCILE_API_KEY: bench.stack.sandbox.demoApp.key });

const stored = ({ idempotencyKey }: Pick<Wanted, 'idempotencyKey'>) =>
  opened.store.find(merchant.rawId, idempotencyKey);

/** Looks at the store, not at the service, until it is so. */
async function until(is: () => Promise<boolean>): Promise<void> {
  while (!(await is())) await new Promise((resolve) => setImmediate(resolve));
}

test('with a key of its own the gateway finds out what became of unknown outcomes', async () => {
  const captured = await capture(300, cut);
  const created = (await creations(bench, merchant)).wanted();
  await leaveUnknown('create', created, cut);
  await startWatcher(withKey());
  await vi.advanceTimersByTimeAsync(29_999);
  expect(await stored(captured)).toMatchObject({ state: 'UNKNOWN' });
  expect(bench.proxy.requests).toEqual([]);

  await vi.advanceTimersByTimeAsync(1);
  for (const input of [captured, created]) {
    await until(async () => (await stored(input))?.state !== 'UNKNOWN');
    expect(await stored(input)).toMatchObject({ state: 'SUCCEEDED', evidence: 'READ_BACK' });
  }
  expect(bench.posts()).toBe(0);
  vi.useRealTimers();
  expect((await submit(bench.ask, 'capture', captured)).operation.replayed).toBe(true);
  expect((await submit(bench.ask, 'create', created)).operation.replayed).toBe(true);
  expect(bench.posts()).toBe(0);
});

test('and never sends anything, though a repeated key would be sent again', async () => {
  const whole = await capture(1000, lost);
  const { transactionId } = whole;
  let looked = () => {};
  const look = new Promise<void>((resolve) => {
    looked = resolve;
  });
  // Found after it, so it has been dealt with when this one is known.
  const other = await capture(300, cut);
  await opened.database.query(
    `UPDATE money_operation SET id = 'ffffffff-ffff-4fff-bfff-ffffffffffff' WHERE key = $1`,
    [other.idempotencyKey],
  );
  bench.proxy.onRead = async (forward, response, request) => {
    if (request.url?.includes(transactionId.replace('txn_', ''))) looked();
    await passOn(forward, response, request);
  };
  await startWatcher(withKey());
  await vi.advanceTimersByTimeAsync(30_000);
  await look;
  await until(async () => (await stored(other))?.state === 'SUCCEEDED');
  expect(await stored(whole)).toMatchObject({ state: 'UNKNOWN', posts: 1 });
  expect(bench.posts()).toBe(0);
  vi.useRealTimers();
  const repeated = await submit(bench.ask, 'capture', whole);
  expect(repeated.operation).toMatchObject({ status: 'SUCCEEDED', replayed: false });
  expect(bench.posts()).toBe(1);
});

test('it looks at all of them, however many there are', async () => {
  const last = await capture(300, cut);
  for (let count = 0; count < 100; count++) {
    const { operation } = await opened.store.claim({
      merchantId: merchant.rawId,
      key: newKey(),
      kind: 'CAPTURE',
      lockKey: `gone-${count}`,
      transactionId: `gone-${count}`,
      amount: 40,
      currency: 'EUR',
      fingerprint: 'ab'.repeat(32),
    });
    const before = { amount: 100, pendingAmount: 100, trail: [] };
    const sending = (await opened.store.startSending(operation, before)) as Operation;
    await opened.store.record(sending, { to: 'UNKNOWN' });
  }
  await opened.database.query(
    `UPDATE money_operation SET id = 'ffffffff-ffff-4fff-bfff-fffffffffffe' WHERE key = $1`,
    [last.idempotencyKey],
  );
  await startWatcher(withKey());
  await vi.advanceTimersByTimeAsync(30_000);
  await until(async () => (await stored(last))?.state === 'SUCCEEDED');
});

test('without a key it looks at nothing, but forgets what ended long ago', async () => {
  const unknown = await capture(300, cut);
  const transactionId = await given(bench.stack).transaction(1000);
  const done = { ...unknown, transactionId, idempotencyKey: newKey() };
  await submit(bench.ask, 'capture', done);
  await opened.database.query(
    `UPDATE money_operation SET resolved_at = now() - interval '3 days' WHERE key = $1`,
    [done.idempotencyKey],
  );
  bench.reset();
  await startWatcher({ MONEY_KEY_RETENTION_DAYS: '2' });
  await vi.advanceTimersByTimeAsync(14_999);
  expect(await stored(done)).toMatchObject({ state: 'SUCCEEDED' });
  await vi.advanceTimersByTimeAsync(1);
  await until(async () => (await stored(done)) === undefined);
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(await stored(unknown)).toMatchObject({ state: 'UNKNOWN' });
  expect(bench.proxy.requests).toEqual([]);
});
