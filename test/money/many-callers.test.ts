import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import type { Attempt } from '../../src/gateway/money/attempt.ts';
import { createRunner } from '../../src/gateway/money/runner.ts';
import { endLeases } from '../../src/gateway/money/store/events.ts';
import type { OperationStore } from '../../src/gateway/money/store/operation-store.ts';
import { createSqlStore } from '../../src/gateway/money/store/sql-store.ts';
import type { Answer } from '../support/ask.ts';
import { preparedPostgres } from '../support/storage.ts';
import { createVirtualTime } from './simulation/virtual-time.ts';
import { signal } from './support/faults.ts';
import { settingsFor, startGatewayProcess } from './support/gateway-process.ts';
import { createMemoryStore } from './support/memory-store.ts';
import { movementInput } from './support/money-client.ts';
import { newCapture, TRAIL_SNAPSHOT } from './support/new-intent.ts';
import { openPostgresWithDatabase } from './support/open-stores.ts';
import { repeatUntilSettled } from './support/repeat-until-settled.ts';
import { startServiceThread } from './support/start-service-thread.ts';

/** A capture that selects nothing for which the service is read again. */
const CAPTURE = `mutation ($input: CaptureTransactionInput!) { captureTransaction(input: $input) {
  __typename
  ... on CaptureTransactionSuccess { operation { status evidence } }
  ... on MutationError { code }
} }`;
const KEYS = 20;
const CALLERS = 50;

test('of 1,000 callers who wait for 20 keys at two gateways, none is told that the store is unavailable', async () => {
  // The POSTs wait until every caller but their own is answered.
  const service = await startServiceThread({ holds: Number.POSITIVE_INFINITY, applies: true });
  onTestFinished(service.close);
  const { url } = service;
  const settings = {
    ...settingsFor({ usersUrl: url, posUrl: url, paymentsUrl: url }),
    DATABASE_URL: await preparedPostgres(),
  };
  const start = () => startGatewayProcess(settings, 'key');
  const gateways = await Promise.all([start(), start()]);

  let answered = 0;
  const sent = Array.from({ length: KEYS * CALLERS }, async (_, caller) => {
    const number = caller % KEYS;
    const { url } = gateways[Math.floor(caller / KEYS) % 2] ?? gateways[0];
    const input = movementInput(`held-${number}`, 300, `key-${number}`);
    const send = () => capture(url, input);
    const first = await send();
    if (++answered === KEYS * (CALLERS - 1)) service.release();
    const { results } = await repeatUntilSettled(send);
    return [first, ...results];
  });
  const callers = await Promise.all(sent);
  const codes = callers.flatMap((results) => results.map(({ code }) => code));
  expect(new Set(codes)).toEqual(new Set([undefined, 'IDEMPOTENCY_KEY_IN_USE']));
  for (const results of callers) {
    expect(results.at(-1).operation).toEqual({ status: 'SUCCEEDED', evidence: 'ANSWERED' });
  }
  expect(service.posts()).toBe(KEYS);
});

/** Captures over a new connection: an idle one could be closed before it is used again. */
async function capture(url: string, input: object): Promise<Answer['data']> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      authorization: 'Bearer key',
      'content-type': 'application/json',
      connection: 'close',
    },
    body: JSON.stringify({ query: CAPTURE, variables: { input } }),
  });
  // The gateway responds as GraphQL over HTTP prescribes.
  const { data } = (await response.json()) as Answer;
  return data.captureTransaction;
}

/** A store that records the names of the methods that are called. */
function recordCalls(store: OperationStore, calls: string[]): OperationStore {
  return new Proxy(store, {
    get: (target, name, receiver) => {
      const method = Reflect.get(target, name, receiver);
      return (...args: unknown[]) => {
        calls.push(String(name));
        return method(...args);
      };
    },
  });
}

test('while 50 callers wait for one key, one of them uses the store at each gateway', async () => {
  const time = createVirtualTime();
  const store = createMemoryStore(time.now, 30_000);
  const settings = { guardedRepost: true, postMs: 10_000 };
  const sending = signal();
  const attempt: Attempt<never> = {
    intent: newCapture(),
    invalid: undefined,
    takeSnapshot: async () => ({ snapshot: TRAIL_SNAPSHOT }),
    post: async () => {
      sending.send();
      await time.sleep(5_000);
      return { kind: 'APPLIED' };
    },
    findEffect: () => Promise.reject(new Error('not read')),
  };
  const gateway = () => {
    const calls: string[] = [];
    const { run } = createRunner({
      store: recordCalls(store, calls),
      clock: time,
      settings,
      report: () => {},
    });
    const callers = () => Promise.all(Array.from({ length: CALLERS }, () => run(attempt, 15_000)));
    return { calls, callers };
  };
  const [one, other] = [gateway(), gateway()];
  const waiting = one.callers();
  const elsewhere = sending.sent.then(other.callers);
  await time.run();
  const verdicts = await Promise.all([waiting, elsewhere]);
  expect(
    verdicts.flat().filter((verdict) => 'replayed' in verdict && !verdict.replayed),
  ).toHaveLength(1);
  expect(one.calls).toEqual(['claim', 'startSending', 'record']);
  // Every 100 ms for two seconds.
  expect(other.calls).toEqual(['claim', ...Array(20).fill('find')]);
});

test('a repeat finds an operation that has ended with two statements', async () => {
  const { store, database } = await openPostgresWithDatabase();
  const used: string[] = [];
  const counted = createSqlStore(countUses(database, used), 30_000);
  const intent = newCapture();
  const { operation } = await store.claim(intent);
  await store.startSending(operation, TRAIL_SNAPSHOT, false);
  await store.record(operation, { to: 'SUCCEEDED', evidence: 'ANSWERED' });
  const ended = { kind: 'KNOWN', operation: { id: operation.id, state: 'SUCCEEDED' } };
  expect(await counted.claim(intent)).toMatchObject(ended);
  expect(used).toEqual(['prepared', 'prepared']);
});

test('looking up a key takes one statement, unless its operation is in progress', async () => {
  const { store, database } = await openPostgresWithDatabase();
  const used: string[] = [];
  const counted = createSqlStore(countUses(database, used), 30_000);
  const intent = newCapture();
  const find = () => counted.find(intent.merchantId, intent.key);
  expect(await find()).toBeUndefined();
  const { operation } = await store.claim(intent);
  await store.startSending(operation, TRAIL_SNAPSHOT, false);
  await store.record(operation, { to: 'SUCCEEDED', evidence: 'ANSWERED' });
  expect(await find()).toMatchObject({ state: 'SUCCEEDED' });
  expect(used).toEqual(['prepared', 'prepared']);
  await store.close();
});

test('a lease of an hour is not ended by a transaction that began before it', async () => {
  const { store, database } = await openPostgresWithDatabase();
  const hourly = createSqlStore(database, 3_600_000);
  const intent = newCapture();
  await database.transaction(async (tx) => {
    await tx.query('SELECT now()');
    const { operation } = await hourly.claim(intent);
    await hourly.startSending(operation, TRAIL_SNAPSHOT, false);
    await endLeases(tx, { where: 'true', values: [] });
  });
  expect(await store.find(intent.merchantId, intent.key)).toMatchObject({ state: 'SENDING' });
  await store.close();
});

/** A database that notes how it is used. */
function countUses(database: Database, used: string[]): Database {
  return {
    ...database,
    query: (...args) => {
      used.push('query');
      return database.query(...args);
    },
    prepared: (...args) => {
      used.push('prepared');
      return database.prepared(...args);
    },
    transaction: (work) => {
      used.push('transaction');
      return database.transaction(work);
    },
  };
}
