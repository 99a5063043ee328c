import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import {
  findOperation,
  type MovementInput,
  movementInput,
  queryOperation,
  submit,
} from './support/money-client.ts';
import { type ProxiedGateway, startProxiedGateway } from './support/proxied-gateway.ts';

let gateway: ProxiedGateway;
beforeAll(async () => {
  gateway = await startProxiedGateway();
});
afterAll(() => gateway?.close());
beforeEach(() => gateway.reset());

/** An app that has no access to any merchant. */
async function createOtherApp(): Promise<{ readonly id: string; readonly key: string }> {
  const { data } = await gateway.direct.ask(
    'mutation { createApp(input: {}) { ... on CreateAppSuccess { app { id } key } } }',
  );
  return { id: data.createApp.app.id, key: data.createApp.key };
}

/** The input of a capture that has succeeded. */
async function succeededCapture(): Promise<MovementInput> {
  const input = movementInput(await given(gateway.direct).transaction(1000), 300);
  await submit(gateway.ask, 'capture', input);
  gateway.reset();
  return input;
}

const NO_TRANSACTION = {
  __typename: 'RequestError',
  code: 'NOT_FOUND',
  message: 'There is no such transaction.',
  path: ['input', 'transactionId'],
  details: [{ path: ['input', 'transactionId'], message: 'There is no such transaction.' }],
};

test('a caller who may not read the transaction gets the same error as if it did not exist', async () => {
  const input = await succeededCapture();
  const { key } = await createOtherApp();
  const missing = { ...input, transactionId: 'txn_doesnotexist' };
  expect(await submit(gateway.ask, 'capture', missing)).toEqual(NO_TRANSACTION);
  expect(await submit(gateway.ask, 'capture', missing, key)).toEqual(NO_TRANSACTION);
  expect(await submit(gateway.ask, 'capture', input, key)).toEqual(NO_TRANSACTION);
  const other = { ...input, amount: { minorUnits: 400, currency: 'EUR' } };
  expect(await submit(gateway.ask, 'capture', other, key)).toEqual(NO_TRANSACTION);
  expect(gateway.posts()).toBe(0);
});

test('a caller who may not read the merchant finds no operation and cannot create one', async () => {
  const { idempotencyKey, amount, transactionId } = await succeededCapture();
  const { id: merchantId } = await given(gateway.direct).merchant();
  const { key } = await createOtherApp();
  const own = await findOperation(gateway.ask, merchantId, idempotencyKey);
  expect(own).toMatchObject({ idempotencyKey, status: 'SUCCEEDED' });
  const ofOtherApp = await queryOperation(gateway.ask, merchantId, idempotencyKey, key);
  const ofNoMerchant = await queryOperation(gateway.ask, 'mer_doesnotexist', idempotencyKey);
  expect(ofOtherApp).toEqual({ status: 200, data: { moneyOperation: null } });
  expect(ofNoMerchant).toEqual(ofOtherApp);

  const create = { merchantId, source: { transactionId }, amount, idempotencyKey: newKey() };
  const notFound = await submit(gateway.ask, 'create', create, key);
  expect(notFound).toMatchObject({ code: 'NOT_FOUND', path: ['input', 'merchantId'] });
  const missing = { ...create, merchantId: 'mer_doesnotexist' };
  expect(await submit(gateway.ask, 'create', missing)).toEqual(notFound);
  expect(gateway.posts()).toBe(0);
});

test('an app that is given access to the merchant finds its operations and can repeat them', async () => {
  const input = await succeededCapture();
  const { id: merchantId } = await given(gateway.direct).merchant();
  const { id: appId, key } = await createOtherApp();
  const { data } = await gateway.direct.ask(
    `mutation ($input: AddMerchantAppInput!) {
      addMerchantApp(input: $input) { ... on AddMerchantAppSuccess { merchant { id } } }
    }`,
    { input: { merchantId, appId } },
  );
  expect(data.addMerchantApp.merchant.id).toBe(merchantId);
  const found = await queryOperation(gateway.ask, merchantId, input.idempotencyKey, key);
  expect(found.data.moneyOperation).toMatchObject({ status: 'SUCCEEDED', kind: 'CAPTURE' });
  const repeated = await submit(gateway.ask, 'capture', input, key);
  expect(repeated.operation).toMatchObject({ status: 'SUCCEEDED', replayed: true });
  expect(gateway.posts()).toBe(0);
});

test('a wrong app key is rejected before the idempotency key is looked up', async () => {
  const input = await succeededCapture();
  expect(await submit(gateway.ask, 'capture', input, 'no-such-app')).toMatchObject({
    code: 'UNAUTHENTICATED',
  });
  expect(gateway.posts()).toBe(0);
});

test('the same idempotency key at two merchants identifies two operations', async () => {
  const idempotencyKey = newKey();
  const amount = { minorUnits: 500, currency: 'USD' };
  const created: string[] = [];
  for (const currency of ['EUR', 'USD']) {
    const { id: merchantId } = await given(gateway.direct).merchant(currency);
    const transactionId = await given(gateway.direct).successful(merchantId);
    const input = { merchantId, source: { transactionId }, amount, idempotencyKey };
    const { operation, transaction } = await submit(gateway.ask, 'create', input);
    expect(operation).toMatchObject({ status: 'SUCCEEDED', replayed: false });
    created.push(transaction.id);
  }
  const captureKey = newKey();
  for (const [index, transactionId] of created.entries()) {
    const captured = { minorUnits: 100 + index, currency: 'USD' };
    const input = { transactionId, amount: captured, idempotencyKey: captureKey };
    const { operation } = await submit(gateway.ask, 'capture', input);
    expect(operation).toMatchObject({ amount: captured, status: 'SUCCEEDED', replayed: false });
  }
  expect(gateway.posts()).toBe(4);
});
