import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { machineClock } from '../../src/gateway/operation/clock.ts';
import { passOn } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { type StackOptions, startGateway } from '../support/start-stack.ts';
import { type Bench, startBench } from './bench.ts';
import { documentOf, findOperation, submit } from './submit.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await startBench();
});
afterAll(() => bench?.close());
beforeEach(() => bench.reset());

async function capture() {
  const transactionId = await given(bench.stack).transaction(1000);
  const amount = { minorUnits: 300, currency: 'EUR' };
  return { transactionId, amount, idempotencyKey: newKey() };
}

/** Another gateway on the same store, behind the same proxy, for the length of a test. */
async function startAnother(options: StackOptions): Promise<typeof bench.ask> {
  const { usersUrl, posUrl, demoApp } = bench.stack.sandbox;
  const services = { usersUrl, posUrl, paymentsUrl: bench.proxy.url };
  const { ask, close } = await startGateway({ ...options, services });
  onTestFinished(close);
  return (query, variables) => ask(query, variables, demoApp.key);
}

/** Holds the next write in front of the service. */
function hold() {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const arrived = new Promise<void>((resolve) => {
    bench.proxy.onWrite = async (...exchange) => {
      resolve();
      await released;
      await passOn(...exchange);
    };
  });
  return { arrived, release };
}

test('a caller who hangs up stops nothing, and finds it done', async () => {
  const input = await capture();
  const { arrived, release } = hold();
  const caller = new AbortController();
  const hungUp = fetch(`${bench.gateway.url}/graphql`, {
    method: 'POST',
    signal: caller.signal,
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${bench.stack.sandbox.demoApp.key}`,
    },
    body: JSON.stringify({ query: documentOf('capture'), variables: { input } }),
  });
  await arrived;
  caller.abort();
  await expect(hungUp).rejects.toThrow('aborted');
  // By the time that this is answered the gateway has noticed.
  await bench.ask('{ __typename }');
  release();
  const again = await submit(bench.ask, 'capture', input);
  expect(again.operation).toMatchObject({
    status: 'SUCCEEDED',
    evidence: 'ANSWERED',
    replayed: true,
  });
  expect(again.transaction.capturedAmount).toEqual({ minorUnits: 300 });
  expect(bench.posts()).toBe(1);
});

test('a caller whose time is up while it is sent is told to ask again, and then it is done', async () => {
  const input = await capture();
  const { id: merchantId } = await given(bench.stack).merchant();
  const { arrived, release } = hold();
  const hurried = await startAnother({ clock: machineClock, deadlineMs: 5_000 });
  // Its callers have more time.
  const another = await startAnother({ clock: machineClock });
  const first = submit(hurried, 'capture', input);
  await arrived;
  const otherInput = { ...input, idempotencyKey: newKey() };
  const [late, same, other, found] = await Promise.all([
    first,
    submit(hurried, 'capture', input),
    submit(another, 'capture', otherInput),
    findOperation(bench.ask, merchantId, input.idempotencyKey),
  ]);
  const operation = { status: 'IN_PROGRESS', evidence: null, advice: 'POLL', resolvedAt: null };
  const inUse = { __typename: 'OutcomeUnknownError', code: 'IDEMPOTENCY_KEY_IN_USE' };
  expect(late).toMatchObject({ ...inUse, operation: { ...operation, replayed: false } });
  expect(same).toMatchObject({ ...inUse, operation: { ...operation, replayed: true } });
  expect(found.data.moneyOperation).toMatchObject({ ...operation, replayed: true });
  expect(other).toMatchObject({
    __typename: 'RequestError',
    code: 'TRANSACTION_BUSY',
    message: expect.stringContaining(input.idempotencyKey),
  });
  const busy = await findOperation(bench.ask, merchantId, otherInput.idempotencyKey);
  expect(busy.data.moneyOperation).toBeNull();

  release();
  const done = await submit(bench.ask, 'capture', input);
  expect(done.operation).toMatchObject({ status: 'SUCCEEDED', evidence: 'ANSWERED' });
  const ended = await findOperation(bench.ask, merchantId, input.idempotencyKey);
  expect(ended.data.moneyOperation).toMatchObject({ status: 'SUCCEEDED', advice: null });
  expect(bench.posts()).toBe(1);
});

test('who repeats a key while it is under way waits, and is told how it ended', async () => {
  const input = await capture();
  const { arrived, release } = hold();
  const first = submit(bench.ask, 'capture', input);
  await arrived;
  bench.proxy.onRead = async (...exchange) => {
    await passOn(...exchange);
    release();
  };
  const [sent, ...waited] = await Promise.all([
    first,
    submit(bench.ask, 'capture', input),
    submit(bench.stack.ask, 'capture', input),
  ]);
  for (const each of waited) {
    expect(each).toEqual({ ...sent, operation: { ...sent.operation, replayed: true } });
  }
  expect(sent.operation).toMatchObject({ status: 'SUCCEEDED', replayed: false });
  expect(bench.posts()).toBe(1);
});

test('with too little time left nothing is begun, but what is known is still told', async () => {
  const ask = await startAnother({ deadlineMs: 1_900 });
  const input = await capture();
  expect(await submit(ask, 'capture', input)).toMatchObject({ code: 'NOT_SENT', path: null });
  expect(bench.posts()).toBe(0);
  expect((await submit(bench.ask, 'capture', input)).operation).toMatchObject({ replayed: false });
  expect((await submit(ask, 'capture', input)).operation).toMatchObject({
    status: 'SUCCEEDED',
    replayed: true,
  });
  expect(bench.posts()).toBe(1);
});
