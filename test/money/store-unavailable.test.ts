import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OperationStore } from '../../src/gateway/money/store/operation-store.ts';
import { passOn } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { movementInput, queryOperation, submit } from './support/money-client.ts';
import { keepOpen, openPglite, openPostgres } from './support/open-stores.ts';
import { type ProxiedGateway, startProxiedGateway } from './support/proxied-gateway.ts';

describe.each([
  ['PGlite', () => openPglite()],
  ['PostgreSQL', () => openPostgres()],
])('if the store in %s fails', (_name, open) => {
  let gateway: ProxiedGateway;
  let merchantId: string;
  let transactionId: string;
  let store: OperationStore;
  const reports: string[] = [];
  beforeAll(async () => {
    store = await open();
    gateway = await startProxiedGateway({
      store: keepOpen(store),
      report: (message) => reports.push(message),
    });
    merchantId = (await given(gateway.direct).merchant()).id;
    transactionId = await given(gateway.direct).transaction(1000);
  });
  afterAll(() => gateway?.close());
  beforeEach(() => gateway.reset());

  // One test, because a store that was closed cannot be opened again.
  test('a success is returned and reported, later mutations send nothing, and queries work', async () => {
    gateway.proxy.onWrite = async (...exchange) => {
      await store.close();
      await passOn(...exchange);
    };
    const input = movementInput(transactionId, 300);
    expect(await submit(gateway.ask, 'capture', input)).toMatchObject({
      operation: { status: 'SUCCEEDED', evidence: 'ANSWERED', replayed: false },
      transaction: { capturedAmount: { minorUnits: 300 } },
    });
    expect(reports).toEqual([
      expect.stringMatching(/^The store of money operations does not respond\./),
      expect.stringMatching(
        /^the outcome of money operation \S{36} could not be recorded yet: SUCCEEDED$/,
      ),
    ]);
    gateway.reset();

    const { amount } = input;
    const create = { merchantId, source: { transactionId }, amount, idempotencyKey: newKey() };
    for (const mutation of ['capture', 'refund', 'void', 'create'] as const) {
      const wanted = mutation === 'create' ? create : movementInput(transactionId, 300);
      expect(await submit(gateway.ask, mutation, wanted)).toMatchObject({
        __typename: 'RequestError',
        code: 'STORE_UNAVAILABLE',
        path: null,
      });
    }
    expect(gateway.posts()).toBe(0);

    const found = await queryOperation(gateway.ask, merchantId, input.idempotencyKey);
    expect(found).toMatchObject({
      status: 200,
      data: { moneyOperation: null },
      errors: [{ path: ['moneyOperation'], extensions: { code: 'STORE_UNAVAILABLE' } }],
    });
    const { data, errors } = await gateway.ask(`{ merchant(id: "${merchantId}") { id } }`);
    expect([data, errors]).toEqual([{ merchant: { id: merchantId } }, undefined]);
    const app = await gateway.ask('mutation { createApp(input: {}) { __typename } }');
    expect(app.data.createApp).toEqual({ __typename: 'CreateAppSuccess' });
    expect(gateway.bugs).toEqual([]);
  });
});
