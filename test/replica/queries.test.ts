import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMemoryStore } from '../money/support/memory-store.ts';
import { patientStore } from '../support/patience.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { fastSync, startGateway } from '../support/start-stack.ts';
import { openTestReplica, type TestReplica } from '../support/test-replica.ts';
import { signToken, tokenSettings } from '../support/token.ts';

// What only a replica can answer: lists of all merchants, and one search box for everything.

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>;
let gateway: Awaited<ReturnType<typeof startGateway>>;
let withTokens: Awaited<ReturnType<typeof startGateway>>;
let scanning: Awaited<ReturnType<typeof startGateway>>;
let replica: TestReplica;
/** The demo app's merchants that have payments, by node id. */
let merchants: { id: string; rawId: string; name: string }[];
/** An app without merchants. */
let otherKey: string;

beforeAll(async () => {
  sandbox = await startTestSandbox();
  const { usersUrl, paymentsUrl, posUrl, demoApp } = sandbox;
  const services = { usersUrl, paymentsUrl, posUrl };
  const store = () => createMemoryStore(Date.now, patientStore.leaseMs);
  replica = await openTestReplica(demoApp.key);
  const usersAccess = [demoApp.id];
  const given = { services, usersAccess, sync: fastSync };
  gateway = await startGateway({ ...given, store: store(), replica });
  // It reads what the other one copies.
  const shared = { ...replica, store: { ...replica.store, close: async () => {} } };
  withTokens = await startGateway({
    ...tokenSettings(demoApp.key),
    ...given,
    ...{ store: store(), replica: shared },
  });
  scanning = await startGateway({ ...given, store: store() });
  const { data } = await ask('{ merchants { edges { node { id rawId name } } } }');
  merchants = data.merchants.edges.map(({ node }: { node: object }) => node);
  for (const { rawId } of merchants) await replica.want(rawId, 'READY');
  const { data: made } = await ask(
    'mutation { createApp(input: {}) { ... on CreateAppSuccess { key } } }',
  );
  otherKey = made.createApp.key;
});
afterAll(async () => {
  for (const one of [withTokens, gateway, scanning]) {
    expect(one?.bugs).toEqual([]);
    await one?.close();
  }
  await sandbox?.close();
});

const ask = (query: string, variables = {}, key = sandbox.demoApp.key) =>
  gateway.ask(query, variables, key);

interface Found {
  readonly rawId: string;
  readonly createdAt: string;
  readonly amount: { readonly minorUnits: number; readonly currency: string };
  readonly merchant: { readonly id: string };
}

const NODE = 'rawId createdAt amount { minorUnits currency } merchant { id }';
const LIST = `query ($filter: TransactionFilter, $merchantIds: [ID!], $orderBy: TransactionOrder, $after: String) {
  transactions(first: 20, filter: $filter, merchantIds: $merchantIds, orderBy: $orderBy, after: $after) {
    edges { node { ${NODE} } } totalCount pageInfo { hasNextPage endCursor } search { source }
  }
}`;

/** Follows a list of several merchants to its end. */
async function readAll(variables: object): Promise<Found[]> {
  const all: Found[] = [];
  for (let after: string | null = null; ; ) {
    const { data, errors } = await ask(LIST, { ...variables, after });
    expect(errors).toBeUndefined();
    const { edges, pageInfo, totalCount, search } = data.transactions;
    all.push(...edges.map(({ node }: { node: Found }) => node));
    expect(search.source).toBe('REPLICA');
    if (pageInfo.hasNextPage) after = pageInfo.endCursor;
    else {
      expect(totalCount).toBe(all.length);
      return all;
    }
  }
}

/** Every transaction of merchants, read from the service. */
async function scanAll(ids: readonly string[]): Promise<Found[]> {
  const all: Found[] = [];
  for (const id of ids) {
    for (let after: string | null = null; ; ) {
      const { data } = await scanning.ask(
        `query ($id: ID!, $after: String) { merchant(id: $id) { transactions(first: 100, after: $after) {
          edges { node { ${NODE} } } pageInfo { hasNextPage endCursor } } } }`,
        { id, after },
        sandbox.demoApp.key,
      );
      const { edges, pageInfo } = data.merchant.transactions;
      all.push(...edges.map(({ node }: { node: Found }) => node));
      if (!pageInfo.hasNextPage) break;
      after = pageInfo.endCursor;
    }
  }
  return all;
}

test.each([
  ['CREATED_AT', 'DESC'],
  ['CREATED_AT', 'ASC'],
  ['AMOUNT', 'DESC'],
  ['AMOUNT', 'ASC'],
])('transactions of all merchants are sorted by %s %s, each once', async (field, direction) => {
  const found = await readAll({ orderBy: { field, direction } });
  const expected = await scanAll(merchants.map(({ id }) => id));
  const ids = (list: readonly Found[]) => list.map(({ rawId }) => rawId);
  expect(expected.length).toBeGreaterThan(50);
  expect(new Set(expected.map(({ merchant }) => merchant.id)).size).toBeGreaterThan(1);
  expect(ids(found).sort()).toEqual(ids(expected).sort());
  const keys = found.map(({ createdAt, amount }) =>
    field === 'AMOUNT' ? amount.minorUnits : Date.parse(createdAt),
  );
  const ascending = keys.toSorted((one, other) => one - other);
  expect(keys).toEqual(direction === 'ASC' ? ascending : ascending.toReversed());
});

test('a filter and a list of merchants apply to the list of all merchants', async () => {
  const all = await scanAll(merchants.map(({ id }) => id));
  const { merchant, amount } = all[0] as Found;
  const isWanted = (one: Found) =>
    one.merchant.id === merchant.id &&
    one.amount.currency === amount.currency &&
    one.amount.minorUnits >= amount.minorUnits;
  const wanted = all.filter(isWanted);
  const found = await readAll({
    merchantIds: [merchant.id],
    filter: { amount: { currency: amount.currency, min: amount.minorUnits } },
  });
  expect(found.map(({ rawId }) => rawId)).toEqual(wanted.map(({ rawId }) => rawId));
  expect(found.length).toBeGreaterThan(2);
});

const SEARCH = `query ($text: String!) { search(text: $text) {
  merchants { name } transactions { rawId custom card { last4 } }
  disputes { rawId transaction { rawId } } users { name email } } }`;

test('a search finds merchants, payments, disputes and user records', async () => {
  const { data } = await ask(`{
    transactions(first: 50, filter: { successful: true }) {
      edges { node { rawId custom card { last4 } amount { decimal currency } } } }
    users(first: 1) { edges { node { name email } } } }`);
  const [user] = data.users.edges;
  const [payment] = data.transactions.edges;
  const { rawId, custom, card, amount } = payment.node;
  const search = async (text: string) => {
    const { data: found, errors } = await ask(SEARCH, { text });
    expect(errors).toBeUndefined();
    return found.search;
  };
  const texts = [rawId, `txn_${rawId}`, custom.reference, card.last4, `•••• ${card.last4}`];
  const amounts = [`${amount.decimal} ${amount.currency}`, `€${amount.decimal}`];
  for (const text of [...texts, ...amounts]) {
    const { transactions } = await search(text);
    expect(transactions.map((one: Found) => one.rawId)).toContain(rawId);
  }
  expect((await search(user.node.email.toUpperCase())).users).toEqual([user.node]);
  const [merchant] = merchants;
  expect((await search(merchant?.name.slice(1, 6) ?? '')).merchants).toContainEqual({
    name: merchant?.name,
  });
  const { data: disputed } = await scanning.ask(
    `{ merchants { edges { node { disputes(first: 1) { edges { node { rawId transaction { rawId } } } } } } } }`,
    {},
    sandbox.demoApp.key,
  );
  const [dispute] = disputed.merchants.edges.flatMap(
    ({ node }: { node: { disputes: { edges: unknown[] } } }) => node.disputes.edges,
  );
  expect((await search(`dsp_${dispute.node.rawId}`)).disputes).toEqual([dispute.node]);
  expect((await search(dispute.node.transaction.rawId)).disputes).toContainEqual(dispute.node);
});

test.each(['txn_', 'dsp_', 'mer_', 'usr_'])(
  'the beginning %s of an id finds nothing',
  async (text) => {
    const { data } = await ask(SEARCH, { text });
    expect(data.search).toEqual({ merchants: [], transactions: [], disputes: [], users: [] });
  },
);

test('the last digits of a card do not match parts of ids', async () => {
  const { data } = await ask(SEARCH, { text: '0000' });
  expect(data.search.transactions.length).toBeGreaterThan(0);
  expect([data.search.merchants, data.search.disputes]).toEqual([[], []]);
});

test('an app or a token finds nothing of merchants that it has no access to', async () => {
  const [first] = await scanAll(merchants.map(({ id }) => id));
  const own = { rawId: first?.rawId, merchant: first?.merchant.id };
  const token = await signToken({ merchants: ['6a1d3c007469000061c5ffff'] });
  const callers = [
    (query: string, variables: object) => ask(query, variables, otherKey),
    (query: string, variables: object) => withTokens.ask(query, variables, token),
  ];
  const { data: page } = await ask('{ transactions(first: 1) { pageInfo { endCursor } } }');
  const { endCursor } = page.transactions.pageInfo;
  for (const askOther of callers) {
    const all = await askOther('{ transactions { edges { node { id } } totalCount } }', {});
    expect(all.data.transactions).toEqual({ edges: [], totalCount: 0 });
    for (const text of [own.rawId ?? '', 'ord', 'Harbour']) {
      const { data } = await askOther(
        `query ($text: String!) { search(text: $text) { merchants { id } transactions { id } disputes { id } } }`,
        { text },
      );
      expect(data.search).toEqual({ merchants: [], transactions: [], disputes: [] });
    }
    const named = await askOther(LIST, { merchantIds: [own.merchant] });
    expect(named.errors).toMatchObject([
      { extensions: { code: 'BAD_USER_INPUT', argument: 'merchantIds' } },
    ]);
    const after = await askOther(LIST, { after: endCursor });
    expect(after.data.transactions?.edges ?? []).toEqual([]);
  }
});

test('a token finds only what is of its merchants', async () => {
  const all = await scanAll(merchants.map(({ id }) => id));
  const { merchant } = all[0] as Found;
  const own = all.filter((one) => one.merchant.id === merchant.id);
  expect(own.length).toBeLessThan(all.length);
  const { rawId } = merchants.find(({ id }) => id === merchant.id) ?? {};
  const token = await signToken({ merchants: [rawId ?? ''] });
  const { data } = await withTokens.ask(
    `{ transactions(first: 100) { edges { node { rawId } } totalCount }
      search(text: "e", first: 50) { merchants { id } transactions { merchant { id } } } }`,
    {},
    token,
  );
  expect(data.transactions.totalCount).toBe(own.length);
  expect(data.search.merchants.every(({ id }: { id: string }) => id === merchant.id)).toBe(true);
  expect(data.search.transactions.length).toBeGreaterThan(0);
  for (const found of data.search.transactions) expect(found.merchant).toEqual(merchant);
});

test.each([
  ['transactions(orderBy: { field: AMOUNT }) { totalCount }', '`orderBy` requires'],
  ['transactions(first: 1) { totalCount }', '`totalCount` requires'],
  ['lines(first: 1) { totalCount }', '`totalCount` requires'],
  ['disputes(first: 1) { totalCount }', '`totalCount` requires'],
])('without a replica, %s has the code NO_REPLICA', async (field, message) => {
  const { errors } = await scanning.ask(
    `query ($id: ID!) { merchant(id: $id) { ${field} } }`,
    { id: merchants[0]?.id },
    sandbox.demoApp.key,
  );
  expect(errors).toMatchObject([
    { message: expect.stringContaining(message), extensions: { code: 'NO_REPLICA' } },
  ]);
});

test('without a replica, a search still finds merchants and user records', async () => {
  const { data, errors } = await scanning.ask(SEARCH, { text: 'a' }, sandbox.demoApp.key);
  expect(data.search.merchants.length).toBeGreaterThan(0);
  expect(data.search.users.length).toBeGreaterThan(0);
  expect(data.search.transactions).toBeNull();
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['NO_REPLICA', 'NO_REPLICA']);
});

test.each([
  ['transactions(orderBy: { field: NAME }) { totalCount }', 'TransactionOrderField'],
  ['transactions(after: "x") { totalCount }', '`after` is not a cursor'],
  ['transactions(maxAgeSeconds: -1) { edges { cursor } }', '`maxAgeSeconds` must be at least 0'],
  ['search(text: "a", maxAgeSeconds: -1) { users { id } }', '`maxAgeSeconds` must be at least 0'],
  ['search(text: " ") { users { id } }', '`text` must not be blank'],
  ['search(text: "a", first: 51) { users { id } }', '`first` must be between 1 and 50'],
])('%s is an error that says what to change', async (field, message) => {
  const { errors } = await ask(`{ ${field} }`);
  expect(errors?.[0]?.message).toContain(message);
});

test('a cursor of another order or list is an error that says so', async () => {
  const order = (field: string) => `orderBy: { field: ${field} }`;
  const { data } = await ask(`{ transactions(first: 1, ${order('AMOUNT')}) { edges { cursor } }
    merchant(id: "${merchants[0]?.id}") { lines(first: 1) { edges { cursor } } } }`);
  const after = `after: "${data.transactions.edges[0].cursor}"`;
  const of = { order: await ask(`{ transactions(${after}) { totalCount } }`) };
  expect(of.order.errors?.[0]?.message).toBe('`after` is a cursor of another list or order.');
  const line = `after: "${data.merchant.lines.edges[0]?.cursor}"`;
  const list = await ask(`{ transactions(${line}) { totalCount } }`);
  expect(list.errors?.[0]?.message).toBe('`after` is a cursor of another list.');
});

test('a merchant whose replica has stopped is left out, and the result says so', async () => {
  const all = await scanAll(merchants.map(({ id }) => id));
  const { merchant } = all[0] as Found;
  const others = all.filter((one) => one.merchant.id !== merchant.id);
  const { rawId = '' } = merchants.find(({ id }) => id === merchant.id) ?? {};
  const list = `query ($merchantIds: [ID!]) { transactions(first: 100, merchantIds: $merchantIds) {
    edges { node { merchant { id } } } totalCount search { leftOut { id } } } }`;
  const search = `{ search(text: "0000", first: 50) {
    transactions { merchant { id } } leftOut { id } asOf merchants { id } } }`;
  const complete = await ask(list);
  expect(complete.data.transactions).toMatchObject({
    totalCount: all.length,
    search: { leftOut: [] },
  });
  expect((await ask(search)).data.search.leftOut).toEqual([]);
  await replica.setState(rawId, 'STOPPED');
  const { data } = await ask(list);
  expect(data.transactions.totalCount).toBe(others.length);
  expect(data.transactions.edges.length).toBeGreaterThan(0);
  expect(JSON.stringify(data.transactions.edges)).not.toContain(merchant.id);
  expect(data.transactions.search.leftOut).toEqual([merchant]);
  const { data: found } = await ask(search);
  expect(found.search.leftOut).toEqual([merchant]);
  expect(found.search.transactions.length).toBeGreaterThan(0);
  expect(JSON.stringify(found.search.transactions)).not.toContain(merchant.id);
  expect(Date.parse(found.search.asOf)).toBeGreaterThan(Date.now() - 600_000);
  const named = await ask(list, { merchantIds: merchants.map(({ id }) => id) });
  expect(named.errors?.[0]?.extensions).toMatchObject({ code: 'NO_REPLICA' });
  for (const one of merchants) await replica.setState(one.rawId, 'STOPPED');
  const none = await ask(list);
  expect(none.errors?.[0]?.extensions).toMatchObject({ code: 'NO_REPLICA' });
  for (const one of merchants) await replica.setState(one.rawId, 'READY');
});
