import type { ApolloClient } from '@apollo/client';
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { type Stack, startStack } from '../support/start-stack.ts';
import * as apollo from './clients/apollo.ts';
import * as graphcache from './clients/graphcache.ts';
import * as urql from './clients/urql.ts';
import * as genql from './genql/payments.ts';
import * as tada from './tada/payments.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

const endpoint = () => [`${stack.url}/graphql`, stack.sandbox.demoApp.key] as const;

/** The ids of a merchant's newest payments, read without a client library. */
async function latest(merchantId: string, first: number): Promise<string[]> {
  const { data } = await stack.ask(
    `query ($id: ID!, $first: Int!) {
      merchant(id: $id) { transactions(first: $first) { edges { node { id } } } }
    }`,
    { id: merchantId, first },
  );
  return data.merchant.transactions.edges.map(({ node }: { node: { id: string } }) => node.id);
}

async function captureInput(minorUnits: number) {
  return {
    transactionId: await given(stack).transaction(1000),
    amount: { minorUnits, currency: 'EUR' },
    idempotencyKey: newKey(),
  };
}

const captured = (replayed: boolean) => ({
  __typename: 'CaptureTransactionSuccess',
  replayed,
  transaction: { pendingAmount: { decimal: '6.00', currency: 'EUR' } },
});

describe('Apollo Client', () => {
  let client: ApolloClient;
  beforeEach(() => {
    client = apollo.createClient(...endpoint());
  });

  function watch(merchantId: string) {
    const payments = apollo.watchPayments(client, merchantId);
    const subscription = payments.subscribe({});
    onTestFinished(() => subscription.unsubscribe());
    return {
      payments,
      ids: () =>
        payments
          .getCurrentResult()
          .data?.merchant?.transactions?.edges?.map((edge) => edge?.node?.id),
    };
  }

  test('appends the next page to the list in its cache', async () => {
    const { id } = await given(stack).merchant();
    const { payments, ids } = watch(id);
    await expect.poll(ids).toEqual(await latest(id, 10));
    await apollo.loadOlder(payments);
    await expect.poll(ids).toEqual(await latest(id, 20));
  });

  test('a capture is replayed for the same key and updates the payment in the list', async () => {
    const input = await captureInput(400);
    const { id } = await given(stack).merchant();
    const { payments, ids } = watch(id);
    await expect.poll(ids).toContain(input.transactionId);
    expect(await apollo.capture(client, input)).toMatchObject(captured(false));
    const [first] = payments.getCurrentResult().data?.merchant?.transactions?.edges ?? [];
    expect(first?.node).toMatchObject({
      id: input.transactionId,
      pendingAmount: { decimal: '6.00' },
    });
    expect(await apollo.capture(client, input)).toMatchObject(captured(true));
  });

  test('an error has the fields of the interface', async () => {
    const input = await captureInput(400);
    await apollo.capture(client, input);
    const other = { ...input, amount: { minorUnits: 500, currency: 'EUR' } };
    expect(await apollo.capture(client, other)).toMatchObject({
      __typename: 'RequestError',
      code: 'IDEMPOTENCY_KEY_REUSED',
      message: expect.stringMatching(/\w/),
    });
  });

  test('an answer without a result throws', async () => {
    const input = { ...(await captureInput(400)), transactionId: 'mer_0123456789abcdef01234567' };
    await expect(apollo.capture(client, input)).rejects.toThrow();
  });
});

describe('urql', () => {
  let client: ReturnType<typeof urql.createClient>;
  beforeEach(() => {
    client = urql.createClient(...endpoint());
  });

  test('loads one page after another', async () => {
    const { id } = await given(stack).merchant();
    const first = await urql.loadPayments(client, id);
    const second = await urql.loadPayments(client, id, first?.pageInfo.endCursor);
    const ids = [first, second].flatMap((page) => page?.edges.map(({ node }) => node.id));
    expect(ids).toEqual(await latest(id, 20));
  });

  test('a capture is replayed for the same key, and the next read shows it', async () => {
    const input = await captureInput(400);
    const { id } = await given(stack).merchant();
    expect((await urql.loadPayments(client, id))?.edges[0]?.node.id).toBe(input.transactionId);
    expect(await urql.capture(client, input)).toMatchObject(captured(false));
    expect(await urql.capture(client, input)).toMatchObject(captured(true));
    const page = await urql.loadPayments(client, id);
    expect(page?.edges[0]?.node).toMatchObject({
      id: input.transactionId,
      pendingAmount: { decimal: '6.00' },
    });
  });

  test('an error has the fields of the interface', async () => {
    const input = await captureInput(400);
    await urql.capture(client, input);
    const other = { ...input, amount: { minorUnits: 500, currency: 'EUR' } };
    expect(await urql.capture(client, other)).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  test('an answer without a result throws', async () => {
    const input = { ...(await captureInput(400)), transactionId: 'mer_0123456789abcdef01234567' };
    await expect(urql.capture(client, input)).rejects.toThrow();
  });
});

describe('urql with graphcache', () => {
  test('joins pages, updates a captured payment in them, and warns of nothing', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const client = graphcache.createClient(...endpoint());
    const input = await captureInput(400);
    const { id } = await given(stack).merchant();
    const first = await urql.loadPayments(client, id);
    await urql.loadPayments(client, id, first?.pageInfo.endCursor);
    const capture = await urql.capture(client, input);
    expect(capture).toMatchObject(captured(false));
    stack.calls.length = 0;
    const payments = await urql.loadPayments(client, id);
    expect(payments?.edges.map(({ node }) => node.id)).toEqual(await latest(id, 20));
    expect(payments?.edges[0]?.node.pendingAmount).toMatchObject({ decimal: '6.00' });
    expect(warn.mock.calls).toEqual([]);
  });
});

test.each([
  ['gql.tada', (merchantId: string) => tada.loadPayments(...endpoint(), { merchantId })],
  ['genql', (merchantId: string) => genql.loadPayments(...endpoint(), merchantId)],
])('%s loads payments with the types of the schema', async (_name, load) => {
  const { id } = await given(stack).merchant();
  const { merchant } = await load(id);
  expect(merchant?.transactions?.edges.map(({ node }) => node.id)).toEqual(await latest(id, 10));
});
