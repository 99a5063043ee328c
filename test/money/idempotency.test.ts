import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { type MoneyMutation, movementInput, submit } from './support/money-client.ts';
import { type ProxiedGateway, startProxiedGateway } from './support/proxied-gateway.ts';

let gateway: ProxiedGateway;
beforeAll(async () => {
  gateway = await startProxiedGateway();
});
afterAll(() => gateway?.close());
beforeEach(() => gateway.reset());

const send = (mutation: MoneyMutation, input: object) => submit(gateway.ask, mutation, input);

/** Input that moves an amount, unless given all, of a new transaction of 1000. */
async function newInput(minorUnits = 1000) {
  return movementInput(await given(gateway.direct).transaction(1000), minorUnits);
}

test.each<MoneyMutation>(['capture', 'void'])(
  'a repeated %s returns the recorded outcome, although nothing is left to move',
  async (mutation) => {
    const input = await newInput();
    const first = await send(mutation, input);
    expect(first.operation).toMatchObject({ status: 'SUCCEEDED', replayed: false });
    const repeated = await send(mutation, input);
    expect(repeated).toEqual({ ...first, operation: { ...first.operation, replayed: true } });
    expect(gateway.posts()).toBe(1);
  },
);

test('a repeated refund returns the recorded outcome, although everything is refunded', async () => {
  const input = await newInput();
  await send('capture', input);
  const refund = { ...input, idempotencyKey: newKey() };
  const first = await send('refund', refund);
  const repeated = await send('refund', refund);
  expect(first.operation).toMatchObject({ kind: 'REFUND', status: 'SUCCEEDED', replayed: false });
  expect(repeated).toEqual({ ...first, operation: { ...first.operation, replayed: true } });
  expect(gateway.posts()).toBe(2);
});

test('with two captures of the same amount, a repeat of each returns its own trail entry', async () => {
  const one = await newInput(300);
  const other = { ...one, idempotencyKey: newKey() };
  const first = await send('capture', one);
  const second = await send('capture', other);
  expect(second.trailEntry.createdAt).not.toBe(first.trailEntry.createdAt);
  expect((await send('capture', one)).trailEntry).toEqual(first.trailEntry);
  expect((await send('capture', other)).trailEntry).toEqual(second.trailEntry);
  expect(gateway.posts()).toBe(2);
});

test('a repeat may select other fields and returns the current transaction', async () => {
  const input = await newInput(300);
  expect((await send('capture', input)).transaction.capturedAmount).toEqual({ minorUnits: 300 });
  await send('capture', movementInput(input.transactionId, 200));
  const { data } = await gateway.ask(
    `mutation ($input: CaptureTransactionInput!) { captureTransaction(input: $input) {
      ... on CaptureTransactionSuccess {
        replayed
        operation { amount { minorUnits } }
        transaction { trail { amount { minorUnits } } capturedAmount { minorUnits } }
      }
    } }`,
    { input },
  );
  expect(data.captureTransaction).toEqual({
    replayed: true,
    operation: { amount: { minorUnits: 300 } },
    transaction: {
      trail: [{ amount: { minorUnits: 300 } }, { amount: { minorUnits: 200 } }],
      capturedAmount: { minorUnits: 500 },
    },
  });
  expect(gateway.posts()).toBe(2);
});

const differences: [string, MoneyMutation, () => object | Promise<object>][] = [
  ['another amount', 'capture', () => ({ amount: { minorUnits: 400, currency: 'EUR' } })],
  ['another currency', 'capture', () => ({ amount: { minorUnits: 300, currency: 'USD' } })],
  [
    'another transaction',
    'capture',
    async () => ({ transactionId: await given(gateway.direct).transaction(1000) }),
  ],
  ['another kind of movement', 'refund', () => ({})],
  ['another descriptor', 'capture', () => ({ statementDescriptor: 'ANOTHER SHOP' })],
  ['no descriptor', 'capture', () => ({ statementDescriptor: null })],
];

test.each(differences)(
  'a known key with %s is rejected, and nothing is sent',
  async (_difference, mutation, change) => {
    const input = { ...(await newInput(300)), statementDescriptor: 'A SHOP' };
    await send('capture', input);
    gateway.reset();
    expect(await send(mutation, { ...input, ...(await change()) })).toMatchObject({
      __typename: 'RequestError',
      code: 'IDEMPOTENCY_KEY_REUSED',
      path: ['input', 'idempotencyKey'],
    });
    expect(gateway.posts()).toBe(0);
    expect((await send('capture', input)).operation).toMatchObject({ replayed: true });
  },
);

test('a request without a descriptor repeats one whose descriptor is null', async () => {
  const input = await newInput();
  await send('capture', { ...input, statementDescriptor: null });
  expect((await send('capture', input)).operation).toMatchObject({ replayed: true });
  expect(gateway.posts()).toBe(1);
});

test('a request with the raw id of a transaction repeats one with its node id', async () => {
  const input = await newInput();
  const { transaction } = await send('capture', input);
  expect(transaction.rawId).not.toBe(input.transactionId);
  const repeated = await send('capture', { ...input, transactionId: transaction.rawId });
  expect(repeated.operation).toMatchObject({ replayed: true });
  expect(gateway.posts()).toBe(1);
});

test('of two captures in one document, each returns the transaction as it was after it', async () => {
  const { transactionId } = await newInput();
  const capture = (name: string, minorUnits: number) => `${name}: captureTransaction(input: {
    transactionId: "${transactionId}", idempotencyKey: "${newKey()}"
    amount: { minorUnits: ${minorUnits}, currency: "EUR" } }) {
      ... on CaptureTransactionSuccess {
        trailEntry { amount { minorUnits } }
        transaction { capturedAmount { minorUnits } pendingAmount { minorUnits } }
      } }`;
  const { data } = await gateway.ask(`mutation { ${capture('a', 90)} ${capture('b', 70)} }`);
  const expected = (entry: number, captured: number) => ({
    trailEntry: { amount: { minorUnits: entry } },
    transaction: {
      capturedAmount: { minorUnits: captured },
      pendingAmount: { minorUnits: 1000 - captured },
    },
  });
  expect(data).toEqual({ a: expected(90, 90), b: expected(70, 160) });
  expect(gateway.posts()).toBe(2);
});

test('each of a hundred repeats reads the transaction once, to check access, and sends nothing', async () => {
  const { ask, calls } = gateway.direct;
  const input = await newInput();
  await submit(ask, 'capture', input);
  calls.length = 0;
  const repeat = () =>
    ask(
      `mutation ($input: CaptureTransactionInput!) { captureTransaction(input: $input) {
        ... on CaptureTransactionSuccess { replayed operation { status } } } }`,
      { input },
    );
  for (let batch = 0; batch < 10; batch++) {
    for (const { data } of await Promise.all(Array.from({ length: 10 }, repeat))) {
      const operation = { status: 'SUCCEEDED' };
      expect(data).toEqual({ captureTransaction: { replayed: true, operation } });
    }
  }
  expect(calls).toEqual(Array(100).fill('GET /transactions/:id'));
});
