import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { OperationStore } from '../../src/gateway/money/store/operation-store.ts';
import { given } from '../support/given.ts';
import { answerWith, signal } from './support/faults.ts';
import { findOperation, movementInput, submit } from './support/money-client.ts';
import { openPostgres } from './support/open-stores.ts';
import { type ProxiedGateway, startProxiedGateway } from './support/proxied-gateway.ts';

let gateway: ProxiedGateway;
let merchantId: string;
let opened: OperationStore;
const reports: string[] = [];
/** Called instead of a method of the store, until it is reset. */
let silent: Partial<OperationStore> = {};
beforeAll(async () => {
  opened = await openPostgres();
  const store = opened;
  const faulty: OperationStore = {
    ...store,
    record: (...args) => (silent.record ?? store.record)(...args),
    startSending: (...args) => (silent.startSending ?? store.startSending)(...args),
  };
  gateway = await startProxiedGateway({
    store: faulty,
    report: (message) => reports.push(message),
  });
  merchantId = (await given(gateway.direct).merchant()).id;
});
afterAll(() => gateway?.close());
beforeEach(() => {
  gateway.reset();
  silent = {};
  reports.length = 0;
});

const capture = (input: object) => submit(gateway.ask, 'capture', input);
const newInput = async () => movementInput(await given(gateway.direct).transaction(1000), 300);

test('a rejection that arrives while the store fails is recorded later, and is returned then', async () => {
  const input = await newInput();
  gateway.proxy.onWrite = answerWith(400, '{"message":"no"}');
  let failures = 0;
  silent.record = async (...args) => {
    if (++failures <= 3) throw new Error('The connection is closed.');
    return opened.record(...args);
  };
  expect(await capture(input)).toMatchObject({ code: 'UPSTREAM_REJECTED' });
  expect(failures).toBeGreaterThan(3);
  expect(reports).toEqual([
    expect.stringMatching(/^The store of money operations does not respond\./),
    expect.stringMatching(
      /^the outcome of money operation \S{36} could not be recorded yet: UNKNOWN$/,
    ),
    'The store of money operations responds again.',
  ]);
  silent = {};
  expect(await findOperation(gateway.ask, merchantId, input.idempotencyKey)).toMatchObject({
    status: 'REJECTED',
    evidence: 'ANSWERED',
  });
});

test('until a rejection is recorded, its operation is in progress', async () => {
  const input = await newInput();
  const failed = signal();
  gateway.proxy.onWrite = answerWith(400, '{"message":"no"}');
  silent.record = async () => {
    failed.send();
    throw new Error('The connection is closed.');
  };
  const waiting = capture(input);
  await failed.sent;
  gateway.clock.passDeadlines();
  expect(await waiting).toMatchObject({
    code: 'IDEMPOTENCY_KEY_IN_USE',
    operation: { status: 'IN_PROGRESS', advice: 'POLL' },
  });
  silent = {};
  expect(await capture(input)).toMatchObject({ code: 'UPSTREAM_REJECTED' });
  expect(gateway.posts()).toBe(1);
});

test('a request that was sent is in progress, and not STORE_UNAVAILABLE, if its rejection is never recorded', async () => {
  const input = await newInput();
  gateway.proxy.onWrite = answerWith(400, '{"message":"no"}');
  silent.record = async () => {
    throw new Error('The connection is closed.');
  };
  expect(await capture(input)).toMatchObject({
    code: 'IDEMPOTENCY_KEY_IN_USE',
    operation: { status: 'IN_PROGRESS', advice: 'POLL' },
  });
  expect(gateway.posts()).toBe(1);
});

test('a success that the store cannot record is returned at once, and is recorded later', async () => {
  const input = await newInput();
  silent.record = async () => {
    throw new Error('The connection is closed.');
  };
  const succeeded = { status: 'SUCCEEDED', evidence: 'ANSWERED' };
  expect((await capture(input)).operation).toMatchObject({ ...succeeded, replayed: false });
  silent = {};
  expect((await capture(input)).operation).toMatchObject({ ...succeeded, replayed: true });
  expect(gateway.posts()).toBe(1);
});

test('an operation whose start may have been recorded, but was not sent, gives its key back', async () => {
  const input = await newInput();
  silent.startSending = async (...args) => {
    await opened.startSending(...args);
    throw new Error('The connection is closed.');
  };
  let failures = 0;
  silent.record = async (...args) => {
    if (++failures <= 2) throw new Error('The connection is closed.');
    return opened.record(...args);
  };
  expect(await capture(input)).toMatchObject({ code: 'STORE_UNAVAILABLE' });
  silent.startSending = opened.startSending;
  expect((await capture(input)).operation).toMatchObject({
    status: 'SUCCEEDED',
    evidence: 'ANSWERED',
    replayed: false,
  });
  expect(gateway.posts()).toBe(1);
});
