import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { type StubAnswer, writeAnswer } from '../support/stub-service.ts';
import { gatewayBefore } from './support/before-services.ts';

const MERCHANT = 'GET /merchants/m1';
const LISTS = ['GET /merchants/m1/transactions', 'GET /merchants/m1/lines'] as const;
const found: StubAnswer = { json: { merchant: { id: 'm1', name: 'Ada & Co' } } };

/** A gateway whose key is known: the first call with a key is made alone. */
async function gatewayWith(payments: Record<string, StubAnswer>) {
  const gateway = await gatewayBefore(payments);
  await gateway.ask('{ viewer { id } }');
  gateway.payments.requests.length = 0;
  return gateway;
}

/** A gateway whose service answers the merchant only after it was asked for some lists. */
function holdingMerchant(lists: number) {
  let merchant: ServerResponse | undefined;
  let asked = 0;
  const answerMerchant = () => {
    if (merchant !== undefined && asked >= lists) writeAnswer(found, merchant.req, merchant);
  };
  const list: StubAnswer = (request, response) => {
    asked++;
    writeAnswer({ json: [] }, request, response);
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
  const gateway = await gatewayWith({ [LISTS[0]]: answer });
  const { data, errors } = await gateway.ask(`{ merchant(id: "m1") { ${list} } }`);
  expect([data, errors]).toEqual([{ merchant: null }, undefined]);
  expect(gateway.payments.requests).toEqual([MERCHANT, `${LISTS[0]}?limit=2`]);
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
