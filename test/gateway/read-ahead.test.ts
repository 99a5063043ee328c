import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { patientGateway } from '../support/patience.ts';
import { type StubAnswer, writeAnswer } from '../support/stub-service.ts';
import { gatewayBefore } from './support/before-services.ts';

const MERCHANT = 'GET /merchants/m1';
const LISTS = ['GET /merchants/m1/transactions', 'GET /merchants/m1/lines'] as const;
const missing: StubAnswer = { status: 404, json: {} };
const found: StubAnswer = { json: { merchant: { id: 'm1', name: 'Ada & Co' } } };

/** A gateway whose key is known: the first call with a key is made alone. */
async function gatewayWith(
  payments: Record<string, StubAnswer>,
  changes?: Parameters<typeof gatewayBefore>[1],
) {
  const gateway = await gatewayBefore(payments, changes);
  await gateway.ask('{ viewer { id } }');
  gateway.payments.requests.length = 0;
  return gateway;
}

/** A gateway whose service answers the merchant only after it was asked for a number of lists. */
function holdingMerchant(lists: number, answer = found, listAnswer: StubAnswer = { json: [] }) {
  let merchant: ServerResponse | undefined;
  let asked = 0;
  const answerMerchant = () => {
    if (merchant !== undefined && asked >= lists) writeAnswer(answer, merchant.req, merchant);
  };
  const list: StubAnswer = (request, response) => {
    asked++;
    writeAnswer(listAnswer, request, response);
    answerMerchant();
  };
  return gatewayWith({
    [MERCHANT]: (_request, response) => {
      merchant = response;
      answerMerchant();
    },
    [LISTS[0]]: list,
    [LISTS[1]]: list,
  });
}

const list = 'transactions(first: 2) { edges { node { rawId } } }';

describe('lists of a merchant are read at the same time as the merchant', () => {
  test.each([
    ['one', `{ merchant(id: "m1") { name ${list} } }`, 1],
    ['two', `{ merchant(id: "m1") { ${list} lines { edges { node { rawId } } } } }`, 2],
    ['by its node id', `{ merchant(id: "mer_m1") { ${list} } }`, 1],
    ['in a fragment', `{ merchant(id: "m1") { ...M } } fragment M on Merchant { ${list} }`, 1],
    ['in an inline fragment', `{ merchant(id: "m1") { ... on Merchant { ${list} } } }`, 1],
    [
      'with an empty page',
      `{ merchant(id: "m1") { ${list} lines(first: 0) { edges { cursor } } } }`,
      1,
    ],
  ])('%s', async (_what, query, lists) => {
    const gateway = await holdingMerchant(lists);
    const { data, errors } = await gateway.ask(query);
    expect(errors).toBeUndefined();
    expect(data.merchant.transactions).toEqual({ edges: [] });
    expect(gateway.payments.requests.length).toBe(1 + lists);
  });
});

describe('a list waits for its merchant', () => {
  test.each([
    ['if it has a filter', 'transactions(filter: { successful: true }) { edges { cursor } }'],
    ['if it may be left out', `${list.replace('{', '@include(if: true) {')}`],
    ['if its arguments are not valid', 'transactions(last: 2) { edges { cursor } }'],
    ['if it is selected twice', `${list} ${list.replace('rawId', 'id')}`],
    ['if its fragment may be left out', `... @skip(if: false) { ${list} }`],
    ['if its fragment is for any node', `... on Node { ... on Merchant { ${list} } }`],
  ])('%s', async (_what, selected) => {
    const gateway = await gatewayWith({ [LISTS[0]]: { json: [] } });
    expect(await gateway.ask(`{ merchant(id: "m1") { ${selected} } }`)).toMatchObject({
      data: { merchant: null },
    });
    expect(gateway.payments.requests).toEqual([MERCHANT]);
  });

  test('if the query selects the merchant twice', async () => {
    const gateway = await gatewayWith({ [LISTS[0]]: { json: [] } });
    await gateway.ask(`{ merchant(id: "m1") { name } merchant(id: "m1") { ${list} } }`);
    expect(gateway.payments.requests).toEqual([MERCHANT]);
  });
});

test.each([
  ['succeeds', { json: [] }],
  ['fails', { status: 500, json: { error: 'no' } }],
  ['is not JSON', { text: 'no' }],
])('a merchant that does not exist is null, also if its list %s', async (_what, answer) => {
  const gateway = await holdingMerchant(1, missing, answer);
  const { data, errors } = await gateway.ask(`{ merchant(id: "m1") { ${list} } }`);
  expect([data, errors]).toEqual([{ merchant: null }, undefined]);
  expect(gateway.payments.requests).toEqual([MERCHANT, `${LISTS[0]}?limit=2`]);
});

test('a condition without a value is an error of the list, and of nothing else', async () => {
  const gateway = await gatewayWith({ [MERCHANT]: found, [LISTS[0]]: { json: [] } });
  const selected = 'transactions(first: 2) { pageInfo @include(if: $x) { hasNextPage } }';
  const query = `query ($x: Boolean = true) { merchant(id: "m1") { name ${selected} } }`;
  const { data, errors } = await gateway.ask(query, 'any-key', { x: null });
  expect(data.merchant).toEqual({ name: 'Ada & Co', transactions: null });
  expect(errors).toHaveLength(1);
});

describe('calls that may be of no use', () => {
  const many = Array.from(
    { length: 7 },
    (_, index) => `l${index}: lines(first: ${index + 1}) { edges { cursor } }`,
  ).join(' ');

  test('are four for each request', async () => {
    const gateway = await holdingMerchant(4, missing);
    await gateway.ask(`{ merchant(id: "m1") { ${many} } }`);
    expect(gateway.payments.requests).toHaveLength(1 + 4);
  });

  test('are four for each request, also if many merchants share a fragment', async () => {
    const ids = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7'];
    const held: ServerResponse[] = [];
    let lists = 0;
    const answerAll = () => {
      if (lists < 4 || held.length < ids.length) return;
      for (const response of held) writeAnswer(missing, response.req, response);
    };
    const ofMerchants = ids.map((id): [string, StubAnswer] => [
      `GET /merchants/${id}`,
      (_request, response) => {
        held.push(response);
        answerAll();
      },
    ]);
    const ofLists = ids.map((id): [string, StubAnswer] => [
      `GET /merchants/${id}/transactions`,
      (request, response) => {
        lists++;
        writeAnswer(missing, request, response);
        answerAll();
      },
    ]);
    const gateway = await gatewayWith(Object.fromEntries([...ofMerchants, ...ofLists]));
    const merchants = ids.map((id) => `${id}: merchant(id: "${id}") { ...M }`).join(' ');
    const { errors } = await gateway.ask(`{ ${merchants} } fragment M on Merchant { ${list} }`);
    expect(errors).toBeUndefined();
    expect(gateway.payments.requests).toHaveLength(ids.length + 4);
  });

  test('are not made with a key that the service has not accepted', async () => {
    const gateway = await gatewayBefore({ [MERCHANT]: { status: 401, json: {} } });
    await gateway.ask(`{ merchant(id: "m1") { ${list} } }`);
    expect(gateway.payments.requests).toEqual([MERCHANT]);
  });

  test('leave half of its calls to the request', async () => {
    const other: StubAnswer = { json: { merchant: { id: 'm2' } } };
    const gateway = await gatewayWith(
      { 'GET /merchants/m2': other, 'GET /merchants/m2/transactions': { json: [] } },
      { allowance: { maxCalls: 3, maxBytes: 1_000_000 } },
    );
    const query = `{ a: merchant(id: "m1") { ${list} } b: merchant(id: "m2") { ${list} } }`;
    const { data, errors } = await gateway.ask(query);
    expect([data, errors]).toEqual([{ a: null, b: { transactions: { edges: [] } } }, undefined]);
  });

  test('are not made without a free connection', async () => {
    const connections = { ...patientGateway.upstream.connections, reads: 2, queue: 0 };
    const gateway = await gatewayWith(
      { [MERCHANT]: found, [LISTS[0]]: { json: [] } },
      { connections },
    );
    const { errors } = await gateway.ask(`{ merchant(id: "m1") { ${list} } }`);
    expect(errors).toBeUndefined();
  });
});

test('an error of the list is reported at the list, once', async () => {
  const gateway = await gatewayWith({ [MERCHANT]: found, [LISTS[0]]: { status: 403, json: {} } });
  const { data, errors } = await gateway.ask(`{ merchant(id: "m1") { name ${list} } }`);
  expect(data.merchant).toEqual({ name: 'Ada & Co', transactions: null });
  expect(errors).toHaveLength(1);
  expect(errors?.[0]?.path).toEqual(['merchant', 'transactions']);
  expect(gateway.payments.requests).toHaveLength(2);
});

test('a list that is read ahead is read again if another selection needs its flags', async () => {
  const gateway = await gatewayWith({
    [MERCHANT]: found,
    [LISTS[0]]: { json: [{ id: 't1' }, { id: 't2' }, { id: 't3' }] },
  });
  const flags = list.replace(
    '(first: 2) {',
    '(first: 2) @include(if: true) { pageInfo { hasNextPage }',
  );
  const { data } = await gateway.ask(`{ merchant(id: "m1") { ${list} ${flags} } }`);
  expect(data.merchant.transactions.pageInfo).toEqual({ hasNextPage: true });
  expect(gateway.payments.requests.slice(1)).toEqual([
    `${LISTS[0]}?limit=2`,
    `${LISTS[0]}?limit=3`,
  ]);
});

test('two merchants of one query get their own lists', async () => {
  const merchantNamed = (id: string): StubAnswer => ({ json: { merchant: { id } } });
  const listOf = (id: string): StubAnswer => ({ json: [{ id: `t-${id}` }] });
  const gateway = await gatewayWith({
    'GET /merchants/m1': merchantNamed('m1'),
    'GET /merchants/m2': merchantNamed('m2'),
    'GET /merchants/m1/transactions': listOf('m1'),
    'GET /merchants/m2/transactions': listOf('m2'),
  });
  const query = `{ a: merchant(id: "m1") { ...M } b: merchant(id: "m2") { ...M } } fragment M on Merchant { ${list} }`;
  const listed = (id: string) => ({ transactions: { edges: [{ node: { rawId: `t-${id}` } }] } });
  for (let count = 0; count < 3; count++) {
    const { data } = await gateway.ask(query);
    expect(data).toEqual({ a: listed('m1'), b: listed('m2') });
  }
});
