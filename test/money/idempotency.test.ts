import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { type Bench, startBench } from './bench.ts';
import { type MoneyMutation, submit } from './submit.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await startBench();
});
afterAll(() => bench?.close());
beforeEach(() => bench.reset());

const send = (mutation: MoneyMutation, input: object) => submit(bench.ask, mutation, input);

/** A capture of 1000 of 1000, unless changed. */
async function wholeCapture(changes: object = {}) {
  const transactionId = await given(bench.stack).transaction(1000);
  const amount = { minorUnits: 1000, currency: 'EUR' };
  return { transactionId, amount, idempotencyKey: newKey(), ...changes };
}

test.each<MoneyMutation>(['capture', 'void'])(
  'the same %s again is a replay, although nothing is left to move',
  async (mutation) => {
    const input = await wholeCapture();
    const first = await send(mutation, input);
    expect(first.operation).toMatchObject({ status: 'SUCCEEDED', replayed: false });
    const again = await send(mutation, input);
    expect(again).toEqual({ ...first, operation: { ...first.operation, replayed: true } });
    expect(bench.posts()).toBe(1);
  },
);

test('the same refund again is a replay, although everything was given back', async () => {
  const input = await wholeCapture();
  await send('capture', input);
  const refund = { ...input, idempotencyKey: newKey() };
  const first = await send('refund', refund);
  const again = await send('refund', refund);
  expect(first.operation).toMatchObject({ kind: 'REFUND', status: 'SUCCEEDED', replayed: false });
  expect(again).toEqual({ ...first, operation: { ...first.operation, replayed: true } });
  expect(bench.posts()).toBe(2);
});

test('of two captures of the same size, each replay shows its own entry', async () => {
  const one = await wholeCapture({ amount: { minorUnits: 300, currency: 'EUR' } });
  const two = { ...one, idempotencyKey: newKey() };
  const first = await send('capture', one);
  const second = await send('capture', two);
  expect(second.trailEntry.createdAt).not.toBe(first.trailEntry.createdAt);
  expect((await send('capture', one)).trailEntry).toEqual(first.trailEntry);
  expect((await send('capture', two)).trailEntry).toEqual(second.trailEntry);
  expect(bench.posts()).toBe(2);
});

test('a retry may select other fields, and reads the transaction as it is by then', async () => {
  const input = await wholeCapture({ amount: { minorUnits: 300, currency: 'EUR' } });
  expect((await send('capture', input)).transaction.capturedAmount).toEqual({ minorUnits: 300 });
  const amount = { minorUnits: 200, currency: 'EUR' };
  await send('capture', { ...input, amount, idempotencyKey: newKey() });
  const { data } = await bench.ask(
    `mutation ($input: CaptureTransactionInput!) { captureTransaction(input: $input) {
      ... on CaptureTransactionSuccess {
        operation { replayed amount { minorUnits } }
        transaction { trail { amount { minorUnits } } capturedAmount { minorUnits } }
      }
    } }`,
    { input },
  );
  expect(data.captureTransaction).toEqual({
    operation: { replayed: true, amount: { minorUnits: 300 } },
    transaction: {
      trail: [{ amount: { minorUnits: 300 } }, { amount: { minorUnits: 200 } }],
      capturedAmount: { minorUnits: 500 },
    },
  });
  expect(bench.posts()).toBe(2);
});

const reuses: [string, MoneyMutation, () => object | Promise<object>][] = [
  ['amount', 'capture', () => ({ amount: { minorUnits: 400, currency: 'EUR' } })],
  ['currency', 'capture', () => ({ amount: { minorUnits: 300, currency: 'USD' } })],
  [
    'transaction',
    'capture',
    async () => ({ transactionId: await given(bench.stack).transaction(1000) }),
  ],
  ['kind of movement', 'refund', () => ({})],
  ['descriptor', 'capture', () => ({ descriptor: 'ANOTHER SHOP' })],
  ['descriptor left out', 'capture', () => ({ descriptor: null })],
];

test.each(reuses)(
  'a known key with another %s is refused, and nothing is sent',
  async (_what, mutation, change) => {
    const amount = { minorUnits: 300, currency: 'EUR' };
    const input = await wholeCapture({ amount, descriptor: 'A SHOP' });
    await send('capture', input);
    bench.reset();
    expect(await send(mutation, { ...input, ...(await change()) })).toMatchObject({
      __typename: 'RequestError',
      code: 'IDEMPOTENCY_KEY_REUSED',
      path: ['input', 'idempotencyKey'],
    });
    expect(bench.posts()).toBe(0);
    expect((await send('capture', input)).operation).toMatchObject({ replayed: true });
  },
);

test('a descriptor that is absent and one that is null are the same', async () => {
  const input = await wholeCapture();
  await send('capture', { ...input, descriptor: null });
  expect((await send('capture', input)).operation).toMatchObject({ replayed: true });
  expect(bench.posts()).toBe(1);
});

test('a transaction by its node id and by its raw id is the same', async () => {
  const input = await wholeCapture();
  const { transaction } = await send('capture', input);
  expect(transaction.rawId).not.toBe(input.transactionId);
  const again = await send('capture', { ...input, transactionId: transaction.rawId });
  expect(again.operation).toMatchObject({ replayed: true });
  expect(bench.posts()).toBe(1);
});

test('two captures in one document each show what was true after them', async () => {
  const input = await wholeCapture();
  const capture = (name: string, minorUnits: number) => `${name}: captureTransaction(input: {
    transactionId: "${input.transactionId}", idempotencyKey: "${newKey()}"
    amount: { minorUnits: ${minorUnits}, currency: "EUR" } }) {
      ... on CaptureTransactionSuccess {
        trailEntry { amount { minorUnits } }
        transaction { capturedAmount { minorUnits } pendingAmount { minorUnits } }
      } }`;
  const { data } = await bench.ask(`mutation { ${capture('a', 90)} ${capture('b', 70)} }`);
  const shown = (entry: number, captured: number) => ({
    trailEntry: { amount: { minorUnits: entry } },
    transaction: {
      capturedAmount: { minorUnits: captured },
      pendingAmount: { minorUnits: 1000 - captured },
    },
  });
  expect(data).toEqual({ a: shown(90, 90), b: shown(70, 160) });
  expect(bench.posts()).toBe(2);
});

const AT_ONCE = 50;
const REPLAYS = 100 * inject('scale');

test(`${REPLAYS} replays of one key send nothing`, async () => {
  const { stack } = bench;
  const input = await wholeCapture();
  await submit(stack.ask, 'capture', input);
  stack.calls.length = 0;
  const replay = () =>
    stack.ask(
      `mutation ($input: CaptureTransactionInput!) { captureTransaction(input: $input) {
        ... on CaptureTransactionSuccess { operation { status replayed } } } }`,
      { input },
    );
  for (let batch = 0; batch < REPLAYS / AT_ONCE; batch++) {
    for (const { data } of await Promise.all(Array.from({ length: AT_ONCE }, replay))) {
      const operation = { status: 'SUCCEEDED', replayed: true };
      expect(data).toEqual({ captureTransaction: { operation } });
    }
  }
  expect(stack.calls).toEqual(Array(REPLAYS).fill('GET /transactions/:id'));
});
