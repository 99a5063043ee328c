import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { readGatewaySettings } from '../../src/gateway/settings/settings.ts';
import { type Fault, passOn } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { startGateway } from '../support/start-stack.ts';
import { loseAnswer, loseRequest, signal } from './support/faults.ts';
import { openMerchantClient } from './support/merchant-client.ts';
import {
  type MoneyMutation,
  type MovementInput,
  movementInput,
  sendMutation,
  submit,
} from './support/money-client.ts';
import { keepOpen, type OpenedStore, openPostgresWithDatabase } from './support/open-stores.ts';
import { type ProxiedGateway, startProxiedGateway } from './support/proxied-gateway.ts';
import { toRawId } from './support/service-ledger.ts';

const FIRST_RECONCILE_MS = 30_000;
const FIRST_SWEEP_MS = 15_000;
const HOUR_MS = 3_600_000;
/** Sorts after every other id, so that an operation with it is reconciled last. */
const LAST_ID = 'ffffffff-ffff-4fff-bfff-ffffffffffff';

let gateway: ProxiedGateway;
let opened: OpenedStore;
let merchant: { readonly id: string; readonly rawId: string };
beforeAll(async () => {
  opened = await openPostgresWithDatabase();
  gateway = await startProxiedGateway({ store: keepOpen(opened.store) });
  merchant = await given(gateway.direct).merchant();
});
afterAll(async () => {
  await gateway?.close();
  await opened?.store.close();
});

let maintaining: { close(): Promise<void> } | undefined;
beforeEach(() => gateway.reset());
afterEach(async () => {
  vi.useRealTimers();
  await maintaining?.close();
  maintaining = undefined;
  await opened.database.query('DELETE FROM money_operation');
});

/** The service performs the request; its answer is lost, and it cannot be read any more. */
const loseAnswerAndReads: Fault = async (...exchange) => {
  await loseAnswer(...exchange);
  gateway.proxy.onRead = loseRequest;
};

/** Sends a mutation whose outcome stays unknown. */
async function leaveUnknown(mutation: MoneyMutation, input: object, fault: Fault): Promise<void> {
  gateway.proxy.onWrite = fault;
  const { data } = await sendMutation(gateway.ask, mutation, input);
  expect(data.result).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  gateway.reset();
}

/** Captures an amount of 1000, with an outcome that stays unknown. */
async function captureUnknown(minorUnits: number, fault: Fault): Promise<MovementInput> {
  const input = movementInput(await given(gateway.direct).transaction(1000), minorUnits);
  await leaveUnknown('capture', input, fault);
  return input;
}

const reports: string[] = [];

/** Starts another gateway on the same store. From now on only the test lets timers pass. */
async function startMaintaining(settings: NodeJS.ProcessEnv): Promise<void> {
  reports.length = 0;
  const { usersUrl, posUrl } = gateway.direct.sandbox;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  maintaining = await startGateway({
    money: readGatewaySettings(settings).money,
    store: keepOpen(opened.store),
    report: (message) => void reports.push(message),
    services: { usersUrl, posUrl, paymentsUrl: gateway.proxy.url },
  });
}

const withKey = () => ({ MONEY_RECONCILE_API_KEY: gateway.direct.sandbox.demoApp.key });

const stored = ({ idempotencyKey }: { readonly idempotencyKey: string }) =>
  opened.store.find(merchant.rawId, idempotencyKey);

/** Reads the store, and never the service, until a condition is met. */
async function until(isMet: () => Promise<boolean>): Promise<void> {
  while (!(await isMet())) await new Promise((resolve) => setImmediate(resolve));
}

async function makeLast({ idempotencyKey }: MovementInput): Promise<void> {
  await opened.database.query('UPDATE money_operation SET id = $1 WHERE key = $2', [
    LAST_ID,
    idempotencyKey,
  ]);
}

test('with a key, maintenance reconciles unknown outcomes after 30 seconds', async () => {
  const captured = await captureUnknown(300, loseAnswerAndReads);
  const created = (await openMerchantClient(gateway, merchant)).newInput();
  await leaveUnknown('create', created, loseAnswerAndReads);
  await startMaintaining(withKey());
  await vi.advanceTimersByTimeAsync(FIRST_RECONCILE_MS - 1);
  expect(await stored(captured)).toMatchObject({ state: 'UNKNOWN' });
  expect(gateway.proxy.requests).toEqual([]);

  await vi.advanceTimersByTimeAsync(1);
  for (const input of [captured, created]) {
    await until(async () => (await stored(input))?.state !== 'UNKNOWN');
    expect(await stored(input)).toMatchObject({ state: 'SUCCEEDED', evidence: 'READ_BACK' });
  }
  expect(gateway.posts()).toBe(0);
  vi.useRealTimers();
  expect((await submit(gateway.ask, 'capture', captured)).operation.replayed).toBe(true);
  expect((await submit(gateway.ask, 'create', created)).operation.replayed).toBe(true);
  expect(gateway.posts()).toBe(0);
});

test('maintenance sends nothing, even if a caller who repeats the key would', async () => {
  const lost = await captureUnknown(1000, loseRequest);
  const last = await captureUnknown(300, loseAnswerAndReads);
  await makeLast(last);
  const read = signal();
  gateway.proxy.onRead = async (forward, response, request) => {
    if (request.url?.includes(toRawId(lost.transactionId))) read.send();
    await passOn(forward, response, request);
  };
  await startMaintaining(withKey());
  await vi.advanceTimersByTimeAsync(FIRST_RECONCILE_MS);
  await read.sent;
  await until(async () => (await stored(last))?.state === 'SUCCEEDED');
  expect(await stored(lost)).toMatchObject({ state: 'UNKNOWN', posts: 1 });
  expect(gateway.posts()).toBe(0);
  vi.useRealTimers();
  const repeated = await submit(gateway.ask, 'capture', lost);
  expect(repeated.operation).toMatchObject({ status: 'SUCCEEDED', replayed: false });
  expect(gateway.posts()).toBe(1);
});

test('maintenance reconciles all unknown outcomes, also if there are more than a hundred', async () => {
  const last = await captureUnknown(300, loseAnswerAndReads);
  await opened.database.query(
    `INSERT INTO money_operation (id, merchant_id, key, kind, lock_key, transaction_id, amount,
       currency, fingerprint_version, fingerprint, state, posts, snapshot, sending_at)
     SELECT gen_random_uuid(), $1, 'key ' || n, 'CAPTURE', 'gone ' || n, 'gone-' || n, 40,
       'EUR', 1, '', 'UNKNOWN', 1, '{"amount":100,"pendingAmount":100,"trail":[]}', now()
     FROM generate_series(1, 101) AS n`,
    [merchant.rawId],
  );
  await makeLast(last);
  await startMaintaining(withKey());
  await vi.advanceTimersByTimeAsync(FIRST_RECONCILE_MS);
  await until(async () => (await stored(last))?.state === 'SUCCEEDED');
  expect(gateway.proxy.requests.filter((call) => call.includes('gone-'))).toHaveLength(101);
});

test('a key that the service does not accept is reported once', async () => {
  const unknown = await captureUnknown(300, loseAnswerAndReads);
  const other = await captureUnknown(200, loseAnswerAndReads);
  await startMaintaining({ MONEY_RECONCILE_API_KEY: 'wrong-key' });
  const bothRead = () => gateway.proxy.requests.length === 2;
  await vi.advanceTimersByTimeAsync(FIRST_RECONCILE_MS);
  await until(async () => bothRead() && reports.length > 0);
  expect(reports).toEqual([
    expect.stringMatching(
      /^MONEY_RECONCILE_API_KEY: the payments service does not accept this key/,
    ),
  ]);
  for (const input of [unknown, other]) {
    expect(await stored(input)).toMatchObject({ state: 'UNKNOWN' });
  }
});

test('without a key, maintenance reads nothing, but deletes operations past their retention', async () => {
  const unknown = await captureUnknown(300, loseAnswerAndReads);
  const ended = movementInput(await given(gateway.direct).transaction(1000), 300);
  await submit(gateway.ask, 'capture', ended);
  await opened.store.sweep({ retentionDays: 2, ownMs: 0 });
  await opened.database.query('UPDATE store_clock SET elapsed = elapsed + 3 * 86400000');
  gateway.reset();
  await startMaintaining({ MONEY_KEY_RETENTION_DAYS: '2' });
  await vi.advanceTimersByTimeAsync(FIRST_SWEEP_MS - 1);
  expect(await stored(ended)).toMatchObject({ state: 'SUCCEEDED' });
  await vi.advanceTimersByTimeAsync(1);
  await until(async () => (await stored(ended)) === undefined);
  await vi.advanceTimersByTimeAsync(HOUR_MS);
  expect(await stored(unknown)).toMatchObject({ state: 'UNKNOWN' });
  expect(gateway.proxy.requests).toEqual([]);
});

test('maintenance ends all expired leases and deletes all operations past their retention at once', async () => {
  await opened.database.query(
    `INSERT INTO money_operation (id, merchant_id, key, kind, lock_key, transaction_id, amount,
       currency, fingerprint_version, fingerprint, state, posts, snapshot, sending_at,
       lease_until, evidence, resolved_at, ended_elapsed)
     SELECT gen_random_uuid(), $1, state || n, 'CAPTURE', state || n, state || n, 40, 'EUR', 1, '',
       state, CASE WHEN snapshot IS NULL THEN 0 ELSE 1 END, snapshot::jsonb,
       CASE WHEN snapshot IS NOT NULL THEN now() END, lease, evidence, resolved, ended
     FROM generate_series(1, 2100) AS n, (VALUES
       ('PREPARED', NULL, now(), NULL, NULL::timestamptz, NULL::bigint),
       ('SENDING', '{}', now(), NULL, NULL, NULL),
       ('SUCCEEDED', '{}', NULL, 'ANSWERED', now(), -400 * 86400000::bigint)
     ) AS of (state, snapshot, lease, evidence, resolved, ended)`,
    [merchant.rawId],
  );
  const events = async () => {
    const [{ count } = { count: 0 }] = await opened.database.query<{ count: number }>(
      `SELECT count(*) AS count FROM money_operation_event WHERE detail ->> 'why' = 'lease ended'`,
    );
    return count;
  };
  const before = await events();
  const states = () =>
    opened.database.query(
      'SELECT state, epoch, count(*) AS count FROM money_operation GROUP BY 1, 2 ORDER BY 1',
    );
  await startMaintaining({});
  await vi.advanceTimersByTimeAsync(FIRST_SWEEP_MS);
  await until(async () => (await states()).length === 1);
  expect(await states()).toEqual([{ state: 'UNKNOWN', epoch: 1, count: 2100 }]);
  expect((await events()) - before).toBe(4200);
});
