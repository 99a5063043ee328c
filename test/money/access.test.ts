import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { type Bench, startBench } from './bench.ts';
import { findOperation, submit } from './submit.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await startBench();
});
afterAll(() => bench?.close());
beforeEach(() => bench.reset());

/** Another app, without access to any merchant. */
async function stranger(): Promise<{ readonly id: string; readonly key: string }> {
  const { data } = await bench.stack.ask(
    'mutation { createApp(input: {}) { ... on CreateAppSuccess { app { id } key } } }',
  );
  return { id: data.createApp.app.id, key: data.createApp.key };
}

async function known() {
  const amount = { minorUnits: 300, currency: 'EUR' };
  const transactionId = await given(bench.stack).transaction(1000);
  const input = { transactionId, amount, idempotencyKey: newKey() };
  await submit(bench.ask, 'capture', input);
  bench.reset();
  return input;
}

const NO_TRANSACTION = {
  __typename: 'RequestError',
  code: 'NOT_FOUND',
  message: 'There is no such transaction.',
  path: ['input', 'transactionId'],
  details: [{ path: ['input', 'transactionId'], message: 'There is no such transaction.' }],
};

test('who may not read the transaction is told the same as if there were none', async () => {
  const input = await known();
  const { key } = await stranger();
  const missing = { ...input, transactionId: 'txn_doesnotexist' };
  expect(await submit(bench.ask, 'capture', missing)).toEqual(NO_TRANSACTION);
  expect(await submit(bench.ask, 'capture', missing, key)).toEqual(NO_TRANSACTION);
  expect(await submit(bench.ask, 'capture', input, key)).toEqual(NO_TRANSACTION);
  const other = { ...input, amount: { minorUnits: 400, currency: 'EUR' } };
  expect(await submit(bench.ask, 'capture', other, key)).toEqual(NO_TRANSACTION);
  expect(bench.posts()).toBe(0);
});

test('who may not read the merchant finds no operation, and may create nothing', async () => {
  const { idempotencyKey, amount, transactionId } = await known();
  const { id: merchantId } = await given(bench.stack).merchant();
  const { key } = await stranger();
  const mine = await findOperation(bench.ask, merchantId, idempotencyKey);
  expect(mine.data.moneyOperation).toMatchObject({ idempotencyKey, status: 'SUCCEEDED' });
  const theirs = await findOperation(bench.ask, merchantId, idempotencyKey, key);
  const nowhere = await findOperation(bench.ask, 'mer_doesnotexist', idempotencyKey);
  expect(theirs).toEqual({ status: 200, data: { moneyOperation: null } });
  expect(nowhere).toEqual(theirs);

  const create = { merchantId, source: { transactionId }, amount, idempotencyKey: newKey() };
  const refused = await submit(bench.ask, 'create', create, key);
  expect(refused).toMatchObject({ code: 'NOT_FOUND', path: ['input', 'merchantId'] });
  const missing = { ...create, merchantId: 'mer_doesnotexist' };
  expect(await submit(bench.ask, 'create', missing)).toEqual(refused);
  expect(bench.posts()).toBe(0);
});

test('an app that is given access sees the operations, and replays them', async () => {
  const input = await known();
  const { id: merchantId } = await given(bench.stack).merchant();
  const { id: appId, key } = await stranger();
  const { data } = await bench.stack.ask(
    `mutation ($input: AddMerchantAppInput!) {
      addMerchantApp(input: $input) { ... on AddMerchantAppSuccess { merchant { id } } }
    }`,
    { input: { merchantId, appId } },
  );
  expect(data.addMerchantApp.merchant.id).toBe(merchantId);
  const found = await findOperation(bench.ask, merchantId, input.idempotencyKey, key);
  expect(found.data.moneyOperation).toMatchObject({ status: 'SUCCEEDED', kind: 'CAPTURE' });
  const replayed = await submit(bench.ask, 'capture', input, key);
  expect(replayed.operation).toMatchObject({ status: 'SUCCEEDED', replayed: true });
  expect(bench.posts()).toBe(0);
});

test('a wrong key of an app is refused before anything is looked up', async () => {
  const input = await known();
  expect(await submit(bench.ask, 'capture', input, 'no-such-app')).toMatchObject({
    code: 'UNAUTHENTICATED',
  });
  expect(bench.posts()).toBe(0);
});

test('the same key at two merchants names two operations', async () => {
  const idempotencyKey = newKey();
  const amount = { minorUnits: 500, currency: 'USD' };
  const created: string[] = [];
  for (const currency of ['EUR', 'USD']) {
    const { id: merchantId } = await given(bench.stack).merchant(currency);
    const transactionId = await given(bench.stack).successful(merchantId);
    const input = { merchantId, source: { transactionId }, amount, idempotencyKey };
    const { operation, transaction } = await submit(bench.ask, 'create', input);
    expect(operation).toMatchObject({ status: 'SUCCEEDED', replayed: false });
    created.push(transaction.id);
  }
  const capture = newKey();
  for (const [index, transactionId] of created.entries()) {
    const of = { minorUnits: 100 + index, currency: 'USD' };
    const input = { transactionId, amount: of, idempotencyKey: capture };
    const { operation } = await submit(bench.ask, 'capture', input);
    expect(operation).toMatchObject({ amount: of, status: 'SUCCEEDED', replayed: false });
  }
  expect(bench.posts()).toBe(4);
});
