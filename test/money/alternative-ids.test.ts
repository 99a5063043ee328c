import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Fault, passOn } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { openMerchantClient } from './support/merchant-client.ts';
import { movementInput, submit } from './support/money-client.ts';
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

// With two ids, one key could begin two operations.
const NOT_SENT = { code: 'NOT_SENT', message: expect.stringContaining('use the `rawId`') };

test('a capture by the alternative id of a transaction is not sent', async () => {
  const first = movementInput(await given(gateway.direct).transaction(1000), 1);
  const { transaction } = await submit(gateway.direct.ask, 'capture', first);
  const input = movementInput(PREFIX + transaction.rawId, 300);
  expect(await submit(gateway.ask, 'capture', input)).toMatchObject(NOT_SENT);
  expect(gateway.posts()).toBe(0);
});

test('nothing is created by the alternative id of a merchant', async () => {
  const merchant = await given(gateway.direct).merchant();
  const client = await openMerchantClient(gateway, merchant);
  const input = { ...client.newInput(), merchantId: PREFIX + merchant.rawId };
  expect(await client.create(input)).toMatchObject(NOT_SENT);
  expect(gateway.posts()).toBe(0);
});
