import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { passOn } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { rest } from '../support/rest.ts';
import { type Bench, startBench } from './bench.ts';
import { findOperation, submit } from './submit.ts';

let bench: Bench;
let merchantId: string;
beforeAll(async () => {
  bench = await startBench();
  merchantId = (await given(bench.stack).merchant()).id;
});
afterAll(() => bench?.close());
beforeEach(() => bench.reset());

async function capture(minorUnits: number, changes: object = {}) {
  const transactionId = await given(bench.stack).transaction(1000);
  const amount = { minorUnits, currency: 'EUR' };
  return { transactionId, amount, idempotencyKey: newKey(), ...changes };
}

const operationOf = async ({ idempotencyKey }: { idempotencyKey: string }) =>
  (await findOperation(bench.ask, merchantId, idempotencyKey)).data.moneyOperation;

test('what the service refuses stays refused, in the same words', async () => {
  const input = await capture(300, { descriptor: 'MUCH TOO LONG FOR A BANK STATEMENT' });
  const first = await submit(bench.ask, 'capture', input);
  expect(first).toMatchObject({
    __typename: 'RequestError',
    code: 'UPSTREAM_REJECTED',
    path: ['input', 'descriptor'],
    details: [{ path: ['input', 'descriptor'] }],
  });
  expect(await submit(bench.ask, 'capture', input)).toEqual(first);
  expect(await operationOf(input)).toMatchObject({
    status: 'REJECTED',
    evidence: 'ANSWERED',
    advice: null,
    resolvedAt: expect.any(String),
  });
  expect(bench.posts()).toBe(1);
});

test('a rejection in words that no database keeps is a rejection all the same', async () => {
  const input = await capture(300);
  bench.proxy.onWrite = (_forward, response) => {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end('{"message":"not \\u0000 this \\ud800","field":"amount\\u0000"}');
  };
  for (let tries = 0; tries < 2; tries++) {
    expect(await submit(bench.ask, 'capture', input)).toMatchObject({ code: 'UPSTREAM_REJECTED' });
  }
  expect(await operationOf(input)).toMatchObject({ status: 'REJECTED', evidence: 'ANSWERED' });
  expect(bench.posts()).toBe(1);
});

test('a conflict stays a conflict under its key, and another key may go on', async () => {
  const input = await capture(300);
  bench.proxy.onWrite = (_forward, response) => {
    response.writeHead(409, { 'content-type': 'application/json' }).end('{"message":"Changed"}');
  };
  const first = await submit(bench.ask, 'capture', input);
  bench.proxy.onWrite = undefined;
  expect(first).toMatchObject({ __typename: 'RequestError', code: 'CONFLICT', path: null });
  expect(await submit(bench.ask, 'capture', input)).toEqual(first);
  expect(await operationOf(input)).toMatchObject({ status: 'REJECTED', evidence: 'ANSWERED' });
  expect(bench.posts()).toBe(1);
  const other = await submit(bench.ask, 'capture', { ...input, idempotencyKey: newKey() });
  expect(other.operation).toMatchObject({ status: 'SUCCEEDED' });
});

test('who is overtaken on the way learns what was left, and learns it again', async () => {
  const input = await capture(600);
  const { paymentsUrl, demoApp } = bench.stack.sandbox;
  bench.proxy.onWrite = async (...exchange) => {
    // Somebody who does not come through a gateway.
    const voids = `/transactions/${input.transactionId.replace('txn_', '')}/voids`;
    await rest(paymentsUrl, demoApp.key).post(voids, { amount: 700 });
    await passOn(...exchange);
  };
  const first = await submit(bench.ask, 'capture', input);
  bench.proxy.onWrite = undefined;
  expect(first).toMatchObject({
    __typename: 'AmountTooLargeError',
    code: 'AMOUNT_TOO_LARGE',
    maximum: { minorUnits: 300 },
  });
  expect(await submit(bench.ask, 'capture', input)).toEqual(first);
  expect(await operationOf(input)).toMatchObject({ status: 'REJECTED', evidence: 'ANSWERED' });
  expect(bench.posts()).toBe(1);
});

test.each([
  ['an amount of nothing', { amount: { minorUnits: 0, currency: 'EUR' } }, 'INVALID_INPUT'],
  ['another currency', { amount: { minorUnits: 300, currency: 'USD' } }, 'CURRENCY_MISMATCH'],
  ['more than is left', { amount: { minorUnits: 1001, currency: 'EUR' } }, 'AMOUNT_TOO_LARGE'],
  ['a transaction that is not there', { transactionId: 'txn_doesnotexist' }, 'NOT_FOUND'],
])('%s leaves no operation, and the key stays free', async (_what, wrong, code) => {
  const input = await capture(300);
  expect(await submit(bench.ask, 'capture', { ...input, ...wrong })).toMatchObject({ code });
  expect(await operationOf(input)).toBeNull();
  expect(bench.posts()).toBe(0);
  expect((await submit(bench.ask, 'capture', input)).operation).toMatchObject({
    status: 'SUCCEEDED',
    replayed: false,
  });
});

test.each([
  ['that is empty', ''],
  ['of 256 characters', 'k'.repeat(256)],
  ['with a space', 'order 7'],
  ['that is not ASCII', 'Bestellung-sieben-ü'],
  ['with a line break', 'order\r\nx-admin: yes'],
])('a key %s is refused before any call', async (_what, idempotencyKey) => {
  const moved = await capture(300, { idempotencyKey });
  const { transactionId, amount } = moved;
  const created = { merchantId, source: { transactionId }, amount, idempotencyKey };
  bench.reset();
  const path = ['input', 'idempotencyKey'];
  for (const mutation of ['capture', 'refund', 'void', 'create'] as const) {
    const input = mutation === 'create' ? created : moved;
    expect(await submit(bench.ask, mutation, input)).toMatchObject({ code: 'INVALID_INPUT', path });
  }
  expect(bench.proxy.requests).toEqual([]);
});

test('a key of 255 characters from the whole alphabet is taken', async () => {
  const visible = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join(
    '',
  );
  const input = await capture(300, { idempotencyKey: visible.repeat(3).slice(0, 255) });
  expect((await submit(bench.ask, 'capture', input)).operation).toMatchObject({
    idempotencyKey: input.idempotencyKey,
    status: 'SUCCEEDED',
  });
});

test.each(['', 'order 7', 'k'.repeat(300), 'nothing\u0000here'])(
  'by %j, which can be no key, no operation is found',
  async (idempotencyKey) => {
    const found = await findOperation(bench.ask, merchantId, idempotencyKey);
    expect(found).toEqual({ status: 200, data: { moneyOperation: null } });
  },
);
