import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createAsk } from '../support/ask.ts';
import { passOn } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { startGateway } from '../support/start-stack.ts';
import { holdRequests, signal } from './support/faults.ts';
import { controlledLimits } from './support/gateway-clock.ts';
import { documentOf, findOperation, movementInput, submit } from './support/money-client.ts';
import { type ProxiedGateway, startProxiedGateway } from './support/proxied-gateway.ts';

let gateway: ProxiedGateway;
beforeAll(async () => {
  gateway = await startProxiedGateway();
});
afterAll(() => gateway?.close());
beforeEach(() => gateway.reset());

const newInput = async () => movementInput(await given(gateway.direct).transaction(1000), 300);

test('a capture whose caller disconnects is completed, and a repeat returns its success', async () => {
  const input = await newInput();
  const held = holdRequests();
  gateway.proxy.onWrite = held.fault;
  const caller = new AbortController();
  const { key } = gateway.direct.sandbox.demoApp;
  const disconnected = gateway.ask(documentOf('capture'), { input }, key, caller.signal);
  await held.arrived;
  caller.abort();
  await expect(disconnected).rejects.toThrow('aborted');
  // Once this is answered, the gateway has noticed.
  await gateway.ask('{ __typename }');
  held.release();
  const repeated = await submit(gateway.ask, 'capture', input);
  expect(repeated.operation).toMatchObject({
    status: 'SUCCEEDED',
    evidence: 'ANSWERED',
    replayed: true,
  });
  expect(repeated.transaction.capturedAmount).toEqual({ minorUnits: 300 });
  expect(gateway.posts()).toBe(1);
});

test('while a capture is being sent, its callers get IN_PROGRESS at their deadline and others TRANSACTION_BUSY', async () => {
  // Callers really wait for two seconds, for a POST that the test holds.
  gateway.clock.startLimits();
  const input = await newInput();
  const { id: merchantId } = await given(gateway.direct).merchant();
  const held = holdRequests();
  gateway.proxy.onWrite = held.fault;
  const sending = submit(gateway.ask, 'capture', input);
  await held.arrived;
  const another = { ...input, idempotencyKey: newKey() };
  const [repeated, other, found] = await Promise.all([
    submit(gateway.ask, 'capture', input),
    submit(gateway.direct.ask, 'capture', another),
    findOperation(gateway.ask, merchantId, input.idempotencyKey),
  ]);
  gateway.clock.passDeadlines();
  const first = await sending;
  const operation = { status: 'IN_PROGRESS', evidence: null, advice: 'POLL', resolvedAt: null };
  const inUse = { __typename: 'OutcomeUnknownError', code: 'IDEMPOTENCY_KEY_IN_USE' };
  expect(first).toMatchObject({ ...inUse, operation: { ...operation, replayed: false } });
  expect(repeated).toMatchObject({ ...inUse, operation: { ...operation, replayed: true } });
  expect(found).toMatchObject(operation);
  expect(other).toMatchObject({
    __typename: 'RequestError',
    code: 'TRANSACTION_BUSY',
    message: expect.stringContaining(input.idempotencyKey),
  });
  expect(await findOperation(gateway.ask, merchantId, another.idempotencyKey)).toBeNull();

  held.release();
  const done = await submit(gateway.ask, 'capture', input);
  expect(done.operation).toMatchObject({ status: 'SUCCEEDED', evidence: 'ANSWERED' });
  const ended = await findOperation(gateway.ask, merchantId, input.idempotencyKey);
  expect(ended).toMatchObject({ status: 'SUCCEEDED', advice: null });
  expect(gateway.posts()).toBe(1);
});

test('a request that repeats a key in progress waits for the outcome, on the same and on another gateway', async () => {
  gateway.clock.freeze();
  const input = await newInput();
  const held = holdRequests();
  const read = signal();
  gateway.proxy.onWrite = held.fault;
  const first = submit(gateway.ask, 'capture', input);
  await held.arrived;
  gateway.proxy.onRead = async (...exchange) => {
    await passOn(...exchange);
    read.send();
  };
  const repeats = [
    submit(gateway.ask, 'capture', input),
    submit(gateway.direct.ask, 'capture', input),
  ];
  // The repeat has checked access, and waits from here on.
  await read.sent;
  held.release();
  const sent = await first;
  expect(sent.operation).toMatchObject({ status: 'SUCCEEDED', replayed: false });
  for (const repeated of await Promise.all(repeats)) {
    expect(repeated).toEqual({ ...sent, operation: { ...sent.operation, replayed: true } });
  }
  expect(gateway.posts()).toBe(1);
});

test('with less than two seconds left nothing new is sent, but a recorded outcome is returned', async () => {
  const { usersUrl, posUrl, demoApp } = gateway.direct.sandbox;
  const shortOfTime = await startGateway({
    ...controlledLimits,
    clock: gateway.clock.clock,
    deadlineMs: 1_900,
    services: { usersUrl, posUrl, paymentsUrl: gateway.proxy.url },
  });
  const ask = createAsk(shortOfTime.url, demoApp.key);
  const input = await newInput();
  expect(await submit(ask, 'capture', input)).toMatchObject({ code: 'NOT_SENT', path: null });
  expect(gateway.posts()).toBe(0);
  const first = await submit(gateway.ask, 'capture', input);
  expect(first.operation).toMatchObject({ replayed: false });
  const repeated = await submit(ask, 'capture', input);
  expect(repeated.operation).toMatchObject({ status: 'SUCCEEDED', replayed: true });
  expect(gateway.posts()).toBe(1);
  await shortOfTime.close();
});
