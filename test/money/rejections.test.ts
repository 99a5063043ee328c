import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Answered, passOn } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { rest } from '../support/rest.ts';
import { answerWith, replaceAnswer } from './support/faults.ts';
import { findOperation, movementInput, queryOperation, submit } from './support/money-client.ts';
import { type ProxiedGateway, startProxiedGateway } from './support/proxied-gateway.ts';
import { toRawId } from './support/service-ledger.ts';

let gateway: ProxiedGateway;
let merchantId: string;
beforeAll(async () => {
  gateway = await startProxiedGateway();
  merchantId = (await given(gateway.direct).merchant()).id;
});
afterAll(() => gateway?.close());
beforeEach(() => gateway.reset());

/** Input that captures an amount of a new transaction of 1000. */
async function newInput(minorUnits: number, changes: object = {}) {
  const transactionId = await given(gateway.direct).transaction(1000);
  return { ...movementInput(transactionId, minorUnits), ...changes };
}

const capture = (input: object) => submit(gateway.ask, 'capture', input);
const operationOf = ({ idempotencyKey }: { readonly idempotencyKey: string }) =>
  findOperation(gateway.ask, merchantId, idempotencyKey);

const REJECTED = { status: 'REJECTED', evidence: 'ANSWERED' };

test('a rejection of the service is returned again, word for word, when its key is repeated', async () => {
  const input = await newInput(300, { statementDescriptor: 'MUCH TOO LONG FOR A BANK STATEMENT' });
  const first = await capture(input);
  expect(first).toMatchObject({
    __typename: 'RequestError',
    code: 'UPSTREAM_REJECTED',
    path: ['input', 'statementDescriptor'],
    details: [{ path: ['input', 'statementDescriptor'] }],
  });
  expect(await capture(input)).toEqual(first);
  expect(await operationOf(input)).toMatchObject({
    ...REJECTED,
    advice: null,
    resolvedAt: expect.any(String),
  });
  expect(gateway.posts()).toBe(1);
});

test('a rejection with characters that PostgreSQL cannot store is recorded without them', async () => {
  const input = await newInput(300);
  const rejection = '{"message":"not \\u0000 this \\ud800","field":"amount\\u0000"}';
  gateway.proxy.onWrite = answerWith(400, rejection);
  for (let tries = 0; tries < 2; tries++) {
    expect(await capture(input)).toMatchObject({ code: 'UPSTREAM_REJECTED' });
  }
  expect(await operationOf(input)).toMatchObject(REJECTED);
  expect(gateway.posts()).toBe(1);
});

test('a conflict stays the outcome of its key, and the same capture with a new key succeeds', async () => {
  const input = await newInput(300);
  gateway.proxy.onWrite = answerWith(409, '{"message":"Changed"}');
  const first = await capture(input);
  gateway.proxy.onWrite = undefined;
  expect(first).toMatchObject({ __typename: 'RequestError', code: 'CONFLICT', path: null });
  expect(await capture(input)).toEqual(first);
  expect(await operationOf(input)).toMatchObject(REJECTED);
  expect(gateway.posts()).toBe(1);
  const other = await capture({ ...input, idempotencyKey: newKey() });
  expect(other.operation).toMatchObject({ status: 'SUCCEEDED' });
});

test('a capture that another client makes impossible returns the largest possible amount, also when it is repeated', async () => {
  const input = await newInput(600);
  const { paymentsUrl, demoApp } = gateway.direct.sandbox;
  gateway.proxy.onWrite = async (...exchange) => {
    const path = `/transactions/${toRawId(input.transactionId)}/voids`;
    await rest(paymentsUrl, demoApp.key).post(path, { amount: 700 });
    await passOn(...exchange);
  };
  const first = await capture(input);
  gateway.proxy.onWrite = undefined;
  expect(first).toMatchObject({
    __typename: 'AmountTooLargeError',
    code: 'AMOUNT_TOO_LARGE',
    maximum: { minorUnits: 300 },
  });
  expect(await capture(input)).toEqual(first);
  expect(await operationOf(input)).toMatchObject(REJECTED);
  expect(gateway.posts()).toBe(1);
});

test.each([
  [429, 'NOT_SENT'],
  [401, 'UNAUTHENTICATED'],
  [403, 'FORBIDDEN'],
])(
  'a capture with the response %i that was applied, but is not visible yet, is not said to have had no effect',
  async (status, code) => {
    const input = await newInput(600);
    const before = new Map<string, Answered>();
    let lags = false;
    gateway.proxy.onRead = async (forward, response, { url = '' }) => {
      const now = await forward();
      if (!lags) before.set(url, now);
      const shown = before.get(url) ?? now;
      response.writeHead(shown.status, { 'content-type': shown.type }).end(shown.body);
    };
    gateway.proxy.onWrite = (...exchange) => {
      lags = true;
      return replaceAnswer(status, '{}')(...exchange);
    };
    const first = await capture(input);
    expect(first).toMatchObject({
      __typename: 'RequestError',
      code,
      message: expect.stringContaining(`status ${status}`),
    });
    expect(first.message).toContain('shows no effect');
    expect(first.message).toContain('with the same idempotency key');
    expect(first.message).not.toMatch(/nothing|did not|no money|not sent|not applied/i);
    expect(gateway.posts()).toBe(1);
    gateway.reset();
    expect((await capture(input)).operation).toMatchObject({
      status: 'SUCCEEDED',
      evidence: 'READ_BACK',
    });
    expect(gateway.posts()).toBe(0);
  },
);

test.each([
  ['an amount of zero', { amount: { minorUnits: 0, currency: 'EUR' } }, 'INVALID_INPUT'],
  ['another currency', { amount: { minorUnits: 300, currency: 'USD' } }, 'CURRENCY_MISMATCH'],
  ['too large an amount', { amount: { minorUnits: 1001, currency: 'EUR' } }, 'AMOUNT_TOO_LARGE'],
  ['a transaction that does not exist', { transactionId: 'txn_doesnotexist' }, 'NOT_FOUND'],
])(
  'an invalid request with %s stores no operation, and its key stays free',
  async (_invalid, change, code) => {
    const input = await newInput(300);
    expect(await capture({ ...input, ...change })).toMatchObject({ code });
    expect(await operationOf(input)).toBeNull();
    expect(gateway.posts()).toBe(0);
    expect((await capture(input)).operation).toMatchObject({
      status: 'SUCCEEDED',
      replayed: false,
    });
  },
);

test.each([
  ['that is empty', ''],
  ['of 256 characters', 'k'.repeat(256)],
  ['with a space', 'order 7'],
  ['that is not ASCII', 'Bestellung-sieben-ü'],
  ['with a line break', 'order\r\nx-admin: yes'],
])('a key %s is rejected before any call to the service', async (_invalid, idempotencyKey) => {
  const movement = await newInput(300, { idempotencyKey });
  const { transactionId, amount } = movement;
  const create = { merchantId, source: { transactionId }, amount, idempotencyKey };
  gateway.reset();
  const path = ['input', 'idempotencyKey'];
  for (const mutation of ['capture', 'refund', 'void', 'create'] as const) {
    const input = mutation === 'create' ? create : movement;
    const result = await submit(gateway.ask, mutation, input);
    expect(result).toMatchObject({ code: 'INVALID_INPUT', path });
  }
  expect(gateway.proxy.requests).toEqual([]);
});

test('a key of 255 characters with every printable ASCII character is valid', async () => {
  const printable = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index));
  const idempotencyKey = printable.join('').repeat(3).slice(0, 255);
  const { operation } = await capture(await newInput(300, { idempotencyKey }));
  expect(operation).toMatchObject({ idempotencyKey, status: 'SUCCEEDED' });
});

test.each(['', 'order 7', 'k'.repeat(300), 'nothing\u0001here'])(
  'a query with the invalid key %j finds no operation',
  async (idempotencyKey) => {
    const found = await queryOperation(gateway.ask, merchantId, idempotencyKey);
    expect(found).toEqual({ status: 200, data: { moneyOperation: null } });
  },
);
