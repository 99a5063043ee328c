import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createControl } from '../../src/sandbox/testing/control-client.ts';
import { newKey } from '../support/new-key.ts';
import { rest } from '../support/rest.ts';
import { startStack } from '../support/start-stack.ts';
import { type Subscribed, subscribe } from '../support/subscribe.ts';

// What happens at merchants is told: by a list, and by subscriptions that can be resumed.

const CARD = '4100000000000000';

let stack: Awaited<ReturnType<typeof startStack>>;
let control: ReturnType<typeof createControl>;
/** A merchant of its own, by its raw id. */
let merchant: string;
const open: Subscribed[] = [];

beforeAll(async () => {
  stack = await startStack({ isCopied: true, controlPort: 0 });
  control = createControl(stack.sandbox.controlUrl ?? '');
  merchant = (await control.makeScene()).merchant.id.replace(/^mer_/, '');
  // Waits until the merchant is copied.
  await stack.ask('{ transactions(first: 1) { totalCount } }');
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});
afterAll(async () => {
  expect(stack?.bugs).toEqual([]);
  await stack?.close();
});

const SUBSCRIPTION = `subscription ($merchantIds: [ID!], $kinds: [EventKind!], $after: String) {
  events(merchantIds: $merchantIds, kinds: $kinds, after: $after) { cursor event {
    id seq kind happenedAt seenAt merchant { id } amount { minorUnits } trailEntry { __typename }
    transaction { rawId state } operation { idempotencyKey } } } }`;

function listen(variables: object = {}, key = stack.sandbox.demoApp.key, url = stack.url) {
  const subscribed = subscribe(url, key, SUBSCRIPTION, { merchantIds: [merchant], ...variables });
  open.push(subscribed);
  return subscribed;
}

const pay = (amount = 1_000) => control.pay({ merchantId: merchant, amount, card: CARD });

const capture = (transactionId: string, minorUnits: number, idempotencyKey = newKey()) =>
  stack.ask(
    `mutation ($input: CaptureTransactionInput!) { captureTransaction(input: $input) { __typename } }`,
    {
      input: {
        transactionId,
        amount: { minorUnits, currency: 'EUR' },
        idempotencyKey,
      },
    },
  );

test('a payment and its capture are told, whoever made them', async () => {
  const live = listen();
  expect((await live.next()).data.events).toMatchObject({ event: null });
  const { transactionId } = await pay();
  const created = await live.next();
  expect(created.data.events.event).toMatchObject({
    kind: 'TRANSACTION_CREATED',
    merchant: { id: `mer_${merchant}` },
    amount: { minorUnits: 1_000 },
    trailEntry: null,
    transaction: { rawId: transactionId, state: 'AUTHORIZED' },
  });
  const idempotencyKey = newKey();
  await capture(transactionId, 400, idempotencyKey);
  const own = await live.next();
  expect(own.data.events.event).toMatchObject({
    kind: 'TRANSACTION_CAPTURED',
    amount: { minorUnits: 400 },
    trailEntry: { __typename: 'CaptureTrailEntry' },
    transaction: { rawId: transactionId, state: 'PARTIALLY_CAPTURED' },
    operation: { idempotencyKey },
  });
  const { paymentsUrl, demoApp } = stack.sandbox;
  await rest(paymentsUrl, demoApp.key).post(`/transactions/${transactionId}/captures`, {
    amount: 600,
  });
  const others = await live.next();
  expect(others.data.events.event).toMatchObject({ amount: { minorUnits: 600 }, operation: null });
  const [one, two, three] = [created, own, others].map(({ data }) => data.events.event.seq);
  expect([two, three]).toEqual([one + 1, one + 2]);
});

test('a capture that was lost is told when it is known that it was not made', async () => {
  const { transactionId } = await pay();
  const live = listen({ kinds: ['MONEY_OPERATION_RESOLVED'] });
  await live.next();
  await control.faults.add({
    ...{ kind: 'drop', service: 'payments', method: 'POST', next: 1 },
    route: '/transactions/:id/captures',
  });
  const idempotencyKey = newKey();
  await capture(transactionId, 400, idempotencyKey);
  const { paymentsUrl, demoApp } = stack.sandbox;
  await rest(paymentsUrl, demoApp.key).post(`/transactions/${transactionId}/voids`, {
    amount: 1_000,
  });
  // It looks for the outcome.
  const query = `query ($merchantId: ID!, $idempotencyKey: String!) {
    moneyOperation(merchantId: $merchantId, idempotencyKey: $idempotencyKey) { id status } }`;
  const { data } = await stack.ask(query, { merchantId: merchant, idempotencyKey });
  expect(data.moneyOperation.status).toBe('NOT_APPLIED');
  expect((await live.next()).data.events.event).toMatchObject({
    kind: 'MONEY_OPERATION_RESOLVED',
    happenedAt: expect.any(String),
    transaction: { rawId: transactionId, state: 'VOIDED' },
    ...{ amount: null, trailEntry: null },
    operation: { idempotencyKey },
  });
});

test('a subscription goes on behind a cursor, without losing or repeating anything', async () => {
  const first = listen();
  const { cursor } = (await first.next()).data.events;
  await first.close();
  const paid = [await pay(1), await pay(2), await pay(3)].map(({ transactionId }) => transactionId);
  const idOf = async (live: Subscribed) => (await live.next()).data.events;
  const second = listen({ after: cursor });
  expect((await idOf(second)).event).toBeNull();
  const one = await idOf(second);
  await second.close();
  const third = listen({ after: one.cursor });
  await idOf(third);
  const two = await idOf(third);
  const three = await idOf(third);
  expect([one, two, three].map(({ event }) => event.transaction.rawId)).toEqual(paid);
  // The cursor of the list, too.
  const { data } = await stack.ask(
    `query ($id: ID!, $after: String) { merchant(id: $id) { events(first: 2, after: $after) {
      edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage endCursor } } } }`,
    { id: merchant, after: cursor },
  );
  const { edges, pageInfo } = data.merchant.events;
  expect(edges.map(({ node }: { node: object }) => node)).toEqual([
    { id: one.event.id },
    { id: two.event.id },
  ]);
  expect(pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
  const fourth = listen({ after: pageInfo.endCursor });
  await idOf(fourth);
  expect((await idOf(fourth)).event.id).toBe(three.event.id);
  const { data: node } = await stack.ask(
    'query ($id: ID!) { node(id: $id) { ... on Event { seq } } event(id: $id) { kind } }',
    { id: three.event.id },
  );
  expect(node).toEqual({
    node: { seq: three.event.seq },
    event: { kind: 'TRANSACTION_CREATED' },
  });
});

test('the newest events come first with `last`, and the pages before them', async () => {
  await pay(1);
  await pay(2);
  const QUERY = `query ($id: ID!, $before: String) { merchant(id: $id) { events(last: 2, before: $before) {
    edges { node { seq } } pageInfo { hasNextPage hasPreviousPage startCursor } } } }`;
  const { data } = await stack.ask(QUERY, { id: merchant });
  const seqs = (page: { edges: { node: { seq: number } }[] }) =>
    page.edges.map(({ node }) => node.seq);
  const [one = 0, two] = seqs(data.merchant.events);
  expect(two).toBe(one + 1);
  const { pageInfo } = data.merchant.events;
  expect(pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  const { data: older } = await stack.ask(QUERY, { id: merchant, before: pageInfo.startCursor });
  expect(seqs(older.merchant.events)).toEqual([one - 2, one - 1]);
  expect(older.merchant.events.pageInfo.hasNextPage).toBe(true);
});

test('an empty page has a cursor, too, that misses nothing', async () => {
  const fresh = (await control.makeScene()).merchant.id;
  const QUERY = `query ($id: ID!, $after: String) { merchant(id: $id) { events(last: 1, after: $after, kinds: [PAYOUT_SENT, BALANCE_CHANGED]) {
    edges { node { kind } } pageInfo { endCursor } } } }`;
  const { data, errors } = await stack.ask(QUERY, { id: fresh });
  expect(errors).toBeUndefined();
  const { edges, pageInfo } = data.merchant.events;
  expect(edges).toEqual([]);
  const live = listen({ merchantIds: [fresh], after: pageInfo.endCursor });
  expect((await live.next()).data.events.event).toBeNull();
});

test('a subscription of some kinds is told of no others', async () => {
  const live = listen({ kinds: ['TRANSACTION_VOIDED'] });
  await live.next();
  const { transactionId } = await pay();
  const { paymentsUrl, demoApp } = stack.sandbox;
  await rest(paymentsUrl, demoApp.key).post(`/transactions/${transactionId}/voids`, { amount: 7 });
  expect((await live.next()).data.events.event).toMatchObject({
    kind: 'TRANSACTION_VOIDED',
    amount: { minorUnits: 7 },
    transaction: { rawId: transactionId },
  });
});

test('without merchants in its arguments, a subscription is of all of the caller', async () => {
  const live = listen({ merchantIds: null });
  await live.next();
  const { transactionId } = await pay();
  expect((await live.next()).data.events.event.transaction.rawId).toBe(transactionId);
});

test('watchers make no calls, whatever they select of the transaction', async () => {
  const lives = Array.from({ length: 20 }, () => listen());
  for (const live of lives) await live.next();
  const calls = stack.calls.length;
  await pay();
  for (const live of lives) expect((await live.next()).data.events.event.kind).toBeDefined();
  const made = stack.calls.slice(calls);
  expect(made.filter((call) => call.includes('/transactions/:'))).toEqual([]);
  const ofMerchant = made.filter((call) => /merchants\/:[^/]+$/.test(call));
  expect(ofMerchant.length).toBeLessThan(lives.length);
});

test.each([
  [{ after: 'x' }, 'BAD_USER_INPUT', '`after` is not a cursor of events.'],
  [{ merchantIds: [] }, 'BAD_USER_INPUT', 'Name merchants in `merchantIds`'],
  [{ merchantIds: ['6a1d3c007469000061c5ffff'] }, 'BAD_USER_INPUT', 'has no access to'],
  [{ kinds: ['PAID'] }, 'BAD_USER_INPUT', 'Value "PAID" does not exist'],
])('%j ends with an error that says what to change', async (variables, code, message) => {
  const [only, ...others] = await listen(variables).rest();
  expect(others).toEqual([]);
  expect(only?.errors?.[0]?.message).toContain(message);
  expect(only?.errors?.[0]?.extensions).toMatchObject({ code });
});

test('events that are not kept any more are an error, never a gap', async () => {
  const first = listen();
  const { cursor } = (await first.next()).data.events;
  await pay();
  await first.next();
  await stack.replica?.trim();
  const [only] = await listen({ after: cursor }).rest();
  expect(only?.errors?.[0]?.extensions).toMatchObject({ code: 'EVENTS_EXPIRED' });
  const { errors } = await stack.ask(
    'query ($id: ID!, $after: String) { merchant(id: $id) { events(after: $after) { edges { cursor } } } }',
    { id: merchant, after: cursor },
  );
  expect(errors).toMatchObject([
    { extensions: { code: 'EVENTS_EXPIRED', eventsSince: expect.stringMatching(/^20/) } },
  ]);
  const live = listen();
  await live.next();
  await pay();
  expect((await live.next()).data.events.event.kind).toBe('TRANSACTION_CREATED');
});

test('a subscription ends when the sandbox is reset, and other events begin', async () => {
  const live = listen();
  await live.next();
  await pay();
  await live.next();
  await stack.replica?.store.forgetAll();
  const [last] = await live.rest();
  expect(last?.errors?.[0]?.extensions?.code).toBe('BAD_USER_INPUT');
});
