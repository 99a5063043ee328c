import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Fault, passOn } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { loseRequest } from './support/faults.ts';
import { openMerchantClient } from './support/merchant-client.ts';
import { findOperation, movementInput, submit } from './support/money-client.ts';
import { type ProxiedGateway, startProxiedGateway } from './support/proxied-gateway.ts';

const PREFIX = 'also-';

/** A service that finds each record by two ids, as some do by an id in capital letters. */
const acceptBothIds: Fault = async (forward, response, request) => {
  request.url = request.url?.replace(PREFIX, '');
  await passOn(forward, response, request);
};

let gateway: ProxiedGateway;
beforeAll(async () => {
  gateway = await startProxiedGateway();
});
afterAll(() => gateway?.close());
beforeEach(() => {
  gateway.reset();
  gateway.proxy.onRead = acceptBothIds;
  gateway.proxy.onWrite = acceptBothIds;
});

/** Inputs of two captures of one transaction, by its id and by its alternative id. */
async function twoCaptures() {
  const first = movementInput(await given(gateway.direct).transaction(1000), 1);
  const { transaction } = await submit(gateway.direct.ask, 'capture', first);
  return [
    movementInput(transaction.rawId, 300),
    movementInput(PREFIX + transaction.rawId, 300),
  ] as const;
}

test('a request with the alternative id of a transaction repeats one with its id', async () => {
  const [input, { transactionId }] = await twoCaptures();
  expect((await submit(gateway.ask, 'capture', input)).operation.replayed).toBe(false);
  const repeated = await submit(gateway.ask, 'capture', { ...input, transactionId });
  expect(repeated.operation).toMatchObject({ status: 'SUCCEEDED', replayed: true });
  expect(gateway.posts()).toBe(1);
});

test('while an operation is open, another one with the alternative id of its transaction is rejected', async () => {
  const [input, other] = await twoCaptures();
  gateway.proxy.onWrite = loseRequest;
  expect((await submit(gateway.ask, 'capture', input)).operation.status).toBe('UNKNOWN');
  gateway.proxy.onWrite = acceptBothIds;
  expect(await submit(gateway.ask, 'capture', other)).toMatchObject({ code: 'TRANSACTION_BUSY' });
  expect(gateway.posts()).toBe(1);
});

test('a request with the alternative id of a merchant creates nothing if one with its id did', async () => {
  const merchant = await given(gateway.direct).merchant();
  const client = await openMerchantClient(gateway, merchant);
  const input = { ...client.newInput(), merchantId: PREFIX + merchant.rawId };
  expect((await client.create(input)).operation.replayed).toBe(false);
  const repeated = await client.create({ ...input, merchantId: merchant.rawId });
  expect(repeated.operation).toMatchObject({ status: 'SUCCEEDED', replayed: true });
  expect(gateway.posts()).toBe(1);
  for (const merchantId of [merchant.id, PREFIX + merchant.rawId]) {
    const operation = await findOperation(gateway.ask, merchantId, input.idempotencyKey);
    expect(operation).toMatchObject({ status: 'SUCCEEDED' });
  }
});
