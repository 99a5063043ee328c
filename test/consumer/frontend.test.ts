import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMemoryStore } from '../money/support/memory-store.ts';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { patientStore } from '../support/patience.ts';
import { type Stack, startGateway, startStack } from '../support/start-stack.ts';
import { type StubAnswer, startStubService } from '../support/stub-service.ts';
import { capture, readCapture } from './frontend/capture.ts';
import { AnswerFailure, connect, type Execute } from './frontend/execute.ts';
import { merchantsOverview } from './frontend/merchants-overview.ts';
import type { Outcome } from './frontend/outcome.ts';
import { refund } from './frontend/refund.ts';
import { transactionList } from './frontend/transaction-list.ts';

let stack: Stack;
let execute: Execute;
beforeAll(async () => {
  stack = await startStack();
  execute = connect(`${stack.url}/graphql`, stack.sandbox.demoApp.key);
});
afterAll(() => stack.close());

const euros = (minorUnits: number) => ({ minorUnits, currency: 'EUR' });

/** The ids of a merchant's newest payments, read in one call without the frontend. */
async function latest(merchantId: string, first: number): Promise<string[]> {
  const { data } = await stack.ask(
    `query ($id: ID!, $first: Int!) {
      merchant(id: $id) { transactions(first: $first) { edges { node { id } } } }
    }`,
    { id: merchantId, first },
  );
  return data.merchant.transactions.edges.map(({ node }: { node: { id: string } }) => node.id);
}

test('the overview shows each merchant with rows that use masked fragments', async () => {
  const { data } = await stack.ask(`{
    merchants { edges { node { id name fundingCurrency
      transactions(first: 2) { edges { node { createdAt amount { decimal currency } } } } } } } }`);
  const overview = await merchantsOverview(execute, 2);
  expect(overview).toHaveLength(data.merchants.edges.length);
  for (const [index, { node }] of data.merchants.edges.entries()) {
    const [first, second] = node.transactions.edges;
    expect(overview[index]).toEqual({
      id: node.id,
      title: `${node.name}, ${node.fundingCurrency}`,
      rows: [expect.stringContaining(text(first.node)), expect.stringContaining(text(second.node))],
    });
  }
  function text({
    createdAt,
    amount: { decimal, currency },
  }: {
    createdAt: string;
    amount: { decimal: string; currency: string };
  }) {
    return `${createdAt.slice(0, 10)}  ${decimal} ${currency}  `;
  }
});

test('the list grows page by page, in order and without duplicates', async () => {
  const { id } = await given(stack).merchant();
  const list = transactionList(execute, id, 7);
  for (const page of [1, 2, 3]) {
    await list.loadOlder();
    expect(list.rows).toHaveLength(7 * page);
    expect(list.hasOlder).toBe(true);
  }
  expect(list.rows.map((row) => row.id)).toEqual(await latest(id, 21));
});

test('the list ends', async () => {
  const { id } = await given(stack).merchant();
  const list = transactionList(execute, id, 20);
  while (list.hasOlder) await list.loadOlder();
  const all = await latest(id, 100);
  expect(all.length).toBeGreaterThan(20);
  expect(list.rows.map((row) => row.id)).toEqual(all);
});

test('newer payments are put at the beginning, also if they fill more than a page', async () => {
  const { id } = await given(stack).merchant();
  const list = transactionList(execute, id, 2);
  await list.loadNewer();
  expect(list.rows).toHaveLength(2);
  for (let payment = 0; payment < 3; payment++) await given(stack).transaction();
  await list.loadNewer();
  expect(list.rows.map((row) => row.id)).toEqual(await latest(id, 5));
  await list.loadNewer();
  expect(list.rows).toHaveLength(5);
});

test('a capture succeeds, then is too much and shows the maximum, or is rejected', async () => {
  const id = await given(stack).transaction(1000);
  const key = newKey();
  const done = { ended: 'done', moved: '4.00 EUR' };
  expect(await capture(execute, id, euros(400), key)).toEqual(done);
  expect(await capture(execute, id, euros(400), key)).toEqual(done);
  expect(await capture(execute, id, euros(700), newKey())).toEqual({
    ended: 'too much',
    most: '6.00 EUR',
  });
  expect(await capture(execute, id, { minorUnits: 100, currency: 'DKK' }, newKey())).toEqual({
    ended: 'rejected',
    why: 'The transaction is in EUR.',
  });
});

test('an error that is newer than the frontend is shown by its message, and its key is kept', () => {
  const why = 'Enough for today.';
  const newer = { __typename: 'LimitReachedError', code: 'LIMIT_REACHED', message: why };
  // A cast, because the generated types do not have it.
  expect(readCapture(newer as never)).toEqual({ ended: 'not now', why });
});

test('a frontend that knows no error by name shows them all', async () => {
  const id = await given(stack).transaction(1000);
  await capture(execute, id, euros(400), newKey());
  expect(await refund(execute, id, euros(100), newKey())).toEqual({
    ended: 'done',
    moved: '1.00 EUR',
  });
  for (const [amount, why] of [
    [euros(301), 'You can refund at most 3.00 EUR.'],
    [{ minorUnits: 100, currency: 'DKK' }, 'The transaction is in EUR.'],
  ] as const) {
    expect(await refund(execute, id, amount, newKey())).toEqual({ ended: 'rejected', why });
  }
});

const TRANSACTION = {
  id: 't1',
  merchantId: 'm1',
  amount: 100,
  currency: 'EUR',
  pendingAmount: 100,
  successful: true,
  trail: [],
};

test.each<[string, StubAnswer, Outcome]>([
  [
    'whose answer was lost is unknown',
    (_request, response) => void response.destroy(),
    { ended: 'unknown', advice: 'RETRY_SAME_KEY' },
  ],
  [
    'that cannot be read afterwards is done',
    (_request, response) => {
      const entry = { capture: true, amount: 1, created: '2026-11-22T10:00:00Z', lineId: 'l1' };
      response.writeHead(201).end(JSON.stringify({ transaction: { id: 't1', trail: [entry] } }));
    },
    { ended: 'done', moved: null },
  ],
])('a capture %s', async (_what, answer, outcome) => {
  let reads = 0;
  const payments = await startStubService({
    'GET /transactions/t1': (_request, response) => {
      // The first read checks access, the second is the snapshot before the POST.
      response.statusCode = reads++ < 2 ? 200 : 503;
      response.end(JSON.stringify({ transaction: TRANSACTION }));
    },
    'POST /transactions/t1/captures': answer,
  });
  const { usersUrl, posUrl } = stack.sandbox;
  const gateway = await startGateway({
    services: { usersUrl, paymentsUrl: payments.url, posUrl },
    store: createMemoryStore(Date.now, patientStore.leaseMs),
  });
  const connected = connect(`${gateway.url}/graphql`, 'a-key');
  const key = newKey();
  expect(await capture(connected, 't1', euros(1), key)).toEqual(outcome);
  // The service can no longer be read, which says nothing about the capture.
  expect(await capture(connected, 't1', euros(1), key)).toMatchObject({ ended: 'not now' });
  expect(payments.requests.filter((request) => request.startsWith('POST'))).toHaveLength(1);
  await gateway.close();
  await payments.close();
});

test('any other error is thrown', async () => {
  await expect(
    capture(execute, 'mer_0123456789abcdef01234567', euros(1), newKey()),
  ).rejects.toThrow(AnswerFailure);
});
