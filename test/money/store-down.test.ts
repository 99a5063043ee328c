import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OperationStore } from '../../src/gateway/operation/store/operation-store.ts';
import { passOn } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { type Bench, startBench } from './bench.ts';
import { keptOpen, openPglite, openPostgres } from './open-stores.ts';
import { findOperation, submit } from './submit.ts';

describe.each([
  ['PGlite', openPglite],
  ['PostgreSQL', () => openPostgres()],
])('while the store in %s is down', (_where, open) => {
  let bench: Bench;
  let merchantId: string;
  let transactionId: string;
  let store: OperationStore;
  const reports: string[] = [];
  beforeAll(async () => {
    store = await open();
    bench = await startBench({
      store: keptOpen(store),
      report: (message) => reports.push(message),
    });
    merchantId = (await given(bench.stack).merchant()).id;
    transactionId = await given(bench.stack).transaction(1000);
  });
  afterAll(() => bench?.close());
  beforeEach(() => bench.reset());

  const amount = { minorUnits: 300, currency: 'EUR' };

  // One test, because a store that is closed stays so.
  test('a success is told all the same, then nothing is sent, and the rest goes on', async () => {
    bench.proxy.onWrite = async (...exchange) => {
      await store.close();
      await passOn(...exchange);
    };
    const input = { transactionId, amount, idempotencyKey: newKey() };
    expect(await submit(bench.ask, 'capture', input)).toMatchObject({
      operation: { status: 'SUCCEEDED', evidence: 'ANSWERED', replayed: false },
      transaction: { capturedAmount: { minorUnits: 300 } },
    });
    expect(reports).toEqual([
      expect.stringMatching(/^the outcome of money operation \S{36} could not be recorded: SUCC/),
    ]);
    bench.reset();

    const created = { merchantId, source: { transactionId }, amount, idempotencyKey: newKey() };
    for (const mutation of ['capture', 'refund', 'void', 'create'] as const) {
      const wanted = mutation === 'create' ? created : { ...input, idempotencyKey: newKey() };
      expect(await submit(bench.ask, mutation, wanted)).toMatchObject({
        __typename: 'RequestError',
        code: 'STORE_UNAVAILABLE',
        path: null,
      });
    }
    expect(bench.posts()).toBe(0);

    const found = await findOperation(bench.ask, merchantId, input.idempotencyKey);
    expect(found).toMatchObject({
      status: 200,
      data: { moneyOperation: null },
      errors: [{ path: ['moneyOperation'], extensions: { code: 'STORE_UNAVAILABLE' } }],
    });
    const { data, errors } = await bench.ask(`{ merchant(id: "${merchantId}") { id } }`);
    expect([data, errors]).toEqual([{ merchant: { id: merchantId } }, undefined]);
    const app = await bench.ask('mutation { createApp(input: {}) { __typename } }');
    expect(app.data.createApp).toEqual({ __typename: 'CreateAppSuccess' });
    expect(bench.gateway.bugs).toEqual([]);
  });
});
