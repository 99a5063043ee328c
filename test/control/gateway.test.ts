import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSandbox, type TestSandbox } from '../../src/sandbox/testing/start.ts';
import { createAsk } from '../support/ask.ts';
import { newKey } from '../support/new-key.ts';
import { EUR_MERCHANT } from './subject.ts';

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ gateway: true });
});
afterAll(() => sandbox.close());

function ask(query: string, variables: object = {}) {
  const url = (sandbox.graphqlUrl ?? '').replace(/\/graphql$/, '');
  return createAsk(url, sandbox.app.key)(query, variables);
}

const move = (
  kind: 'Capture' | 'Refund',
) => `mutation ($id: ID!, $key: String!, $units: MinorUnits!) {
  result: ${kind.toLowerCase()}Transaction(input: { transactionId: $id, idempotencyKey: $key,
    amount: { minorUnits: $units, currency: "EUR" } }) {
    __typename
    ... on MutationError { code }
    ... on ${kind}TransactionSuccess { replayed transaction { refundedAmount { minorUnits } } }
  }
}`;
const CAPTURE = move('Capture');
const REFUND = move('Refund');
const FIRST_CAPTURE = { __typename: 'CaptureTransactionSuccess', replayed: false };
const RECORDED = `query ($id: ID!) { merchant(id: $id) {
  moneyOperations { edges { node { idempotencyKey } } } } }`;

const paid = async (amount: number) =>
  (await sandbox.pay({ merchantId: EUR_MERCHANT, amount })).transactionId;

test('a refund that was applied, and got no answer, is made once and reported as made', async () => {
  const id = await paid(900);
  await ask(CAPTURE, { id, key: newKey(), units: 900 });
  const variables = { id, key: newKey(), units: 300 };
  await sandbox.faults.add({
    ...{ kind: 'drop', route: '/transactions/:id/refunds', applied: true, next: 1 },
  });
  const first = await ask(REFUND, variables);
  expect(['OutcomeUnknownError', 'RefundTransactionSuccess']).toContain(
    first.data.result.__typename,
  );
  await expect
    .poll(async () => (await ask(REFUND, variables)).data.result)
    .toMatchObject({
      ...{ __typename: 'RefundTransactionSuccess', replayed: true },
      transaction: { refundedAmount: { minorUnits: 300 } },
    });
  const posts = (await sandbox.requests.list()).filter(({ path }) => path.endsWith('/refunds'));
  expect(posts.map(({ status }) => status)).toEqual([0]);
});

test('a reset clears the store of money operations with the records', async () => {
  const key = newKey();
  const id = await paid(500);
  await ask(CAPTURE, { id, key, units: 200 });
  const recorded = async () =>
    (await ask(RECORDED, { id: EUR_MERCHANT })).data.merchant.moneyOperations.edges.map(
      (edge: { node: { idempotencyKey: string } }) => edge.node.idempotencyKey,
    );
  expect(await recorded()).toContain(key);
  await sandbox.reset();
  expect(await recorded()).toEqual([]);
  // The key is free: it belonged to a transaction that is gone.
  const other = await ask(CAPTURE, { id: await paid(500), key, units: 200 });
  expect(other.data.result).toMatchObject(FIRST_CAPTURE);
});

test('an operation that is being sent during a reset ends without a trace', async () => {
  const id = await paid(500);
  await sandbox.faults.add({ kind: 'delay', delayMs: 400, method: 'POST', next: 1 });
  const sending = ask(CAPTURE, { id, key: newKey(), units: 200 });
  await expect.poll(async () => (await sandbox.faults.list()).length, { timeout: 20_000 }).toBe(0);
  await sandbox.reset();
  expect((await sending).data.result.__typename).not.toBe('CaptureTransactionSuccess');
  const next = await ask(CAPTURE, { id: await paid(500), key: newKey(), units: 500 });
  expect(next.data.result).toMatchObject(FIRST_CAPTURE);
});

test('without a gateway, `graphql` says what to change', async () => {
  const alone = await startSandbox();
  try {
    expect(alone.graphqlUrl).toBeUndefined();
    await expect(alone.graphql('{ __typename }')).rejects.toThrow('with `gateway: true`');
  } finally {
    await alone.close();
  }
});

const READ = `query ($id: ID!) { merchant(id: $id) { name } }`;
const read = () => ask(READ, { id: EUR_MERCHANT });
const broken = { kind: 'status', status: 503, route: '/merchants/:id' } as const;

/** Reads until the gateway does not call the service any more. */
async function untilStopped() {
  await expect
    .poll(async () => (await read()).errors?.[0]?.message, { timeout: 20_000, interval: 1 })
    .toContain('does not call it for a few seconds');
}

test.each([
  ['it is removed', (id: string) => sandbox.faults.remove(id)],
  ['all are removed', () => sandbox.faults.clear()],
  ['all records are reset', () => sandbox.reset()],
])(
  'the gateway calls a service that failed because of a fault as soon as %s',
  async (_when, end) => {
    const { id } = await sandbox.faults.add(broken);
    await untilStopped();
    await end(id);
    expect((await read()).data).toEqual({ merchant: { name: 'Nordlys Kaffee' } });
  },
);

test('the gateway calls a service as soon as the fault has expired', async () => {
  const { expires } = await sandbox.faults.add({ ...broken, expiresInMs: 1_000 });
  await untilStopped();
  await expect
    .poll(async () => (await read()).data, { timeout: 20_000, interval: 20 })
    .toEqual({ merchant: { name: 'Nordlys Kaffee' } });
  // Less than the five seconds for which the gateway would not call the service.
  expect(Date.now() - Date.parse(expires ?? '')).toBeLessThan(3_000);
});

test('a payment reaches an inbox as a signed webhook, also after a reset', async () => {
  const inbox = sandbox.inbox('orders');
  const { data } = await ask(
    `mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) {
      ... on CreateWebhookEndpointSuccess { secret } } }`,
    { input: { merchantId: EUR_MERCHANT, url: inbox.url, kinds: ['TRANSACTION_CREATED'] } },
  );
  const webhook = new Webhook(data.createWebhookEndpoint.secret);
  const receive = async () => {
    const id = await paid(700);
    const { body, headers } = await inbox.next({ timeoutMs: 30_000 });
    expect(webhook.verify(body, headers)).toMatchObject({
      type: 'transaction.created',
      data: { transactionId: `txn_${id}`, amount: { minorUnits: 700 } },
    });
  };
  await receive();
  await sandbox.reset();
  await inbox.clear();
  await expect
    .poll(
      async () => {
        const { data: found } = await ask(
          'query ($id: ID!) { merchant(id: $id) { replica { state } } }',
          { id: EUR_MERCHANT },
        );
        return found.merchant.replica?.state;
      },
      { timeout: 60_000 },
    )
    .toBe('READY');
  await receive();
});
