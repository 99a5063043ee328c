import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Fault, passOn } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { type Bench, startBench } from './bench.ts';
import { creations, IMPATIENT } from './creation.ts';
import { findOperation, submit } from './submit.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await startBench(IMPATIENT);
});
afterAll(() => bench?.close());
beforeEach(() => {
  bench.reset();
  bench.proxy.onRead = namesBoth;
  bench.proxy.onWrite = namesBoth;
});

const ALSO = 'also-';

/** A service that finds a record by two names, as many do by an id in capitals. */
const namesBoth: Fault = async (forward, response, request) => {
  request.url = request.url?.replace(ALSO, '');
  await passOn(forward, response, request);
};

async function capture(minorUnits: number) {
  const { transaction } = await submit(bench.stack.ask, 'capture', {
    transactionId: await given(bench.stack).transaction(1000),
    amount: { minorUnits: 1, currency: 'EUR' },
    idempotencyKey: newKey(),
  });
  const amount = { minorUnits, currency: 'EUR' };
  const named = (transactionId: string) => ({ transactionId, amount, idempotencyKey: newKey() });
  return [named(transaction.rawId), named(ALSO + transaction.rawId)] as const;
}

test('a movement is replayed by whatever name its transaction is called', async () => {
  const [one, { transactionId }] = await capture(300);
  expect((await submit(bench.ask, 'capture', one)).operation.replayed).toBe(false);
  const again = await submit(bench.ask, 'capture', { ...one, transactionId });
  expect(again.operation).toMatchObject({ status: 'SUCCEEDED', replayed: true });
  expect(bench.posts()).toBe(1);
});

test('a transaction takes one movement at a time, by whatever name', async () => {
  const [one, other] = await capture(300);
  bench.proxy.onWrite = (_forward, response) => {
    response.destroy();
  };
  expect((await submit(bench.ask, 'capture', one)).operation.status).toBe('UNKNOWN');
  bench.proxy.onWrite = namesBoth;
  expect(await submit(bench.ask, 'capture', other)).toMatchObject({ code: 'TRANSACTION_BUSY' });
  expect(bench.posts()).toBe(1);
});

test('a payment is made once by whatever name its merchant is called', async () => {
  const merchant = await given(bench.stack).merchant();
  const shop = await creations(bench, merchant);
  const input = { ...shop.wanted(), merchantId: ALSO + merchant.rawId };
  expect((await shop.create(input)).operation.replayed).toBe(false);
  const again = await shop.create({ ...input, merchantId: merchant.rawId });
  expect(again.operation).toMatchObject({ status: 'SUCCEEDED', replayed: true });
  expect(bench.posts()).toBe(1);
  for (const name of [merchant.id, ALSO + merchant.rawId]) {
    const found = await findOperation(bench.ask, name, input.idempotencyKey);
    expect(found.data.moneyOperation).toMatchObject({ status: 'SUCCEEDED' });
  }
});
