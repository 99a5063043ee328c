import { afterAll, beforeAll, expect, test } from 'vitest';
import { given } from '../support/given.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
let merchant: { readonly id: string };
let transaction: string;
let line: string;
let userIds: string[];

beforeAll(async () => {
  stack = await startStack();
  merchant = await given(stack).merchant();
  transaction = await given(stack).successful(merchant.id);
  const { data } = await stack.ask(
    `{ merchant(id: "${merchant.id}") { lines(first: 1) { edges { node { id } } } } users(first: 5) { edges { node { id } } } }`,
  );
  line = data.merchant.lines.edges[0].node.id;
  userIds = data.users.edges.map(({ node }: { node: { id: string } }) => node.id);
});
afterAll(() => stack.close());

const ME = 'GET /me';
const MERCHANT = 'GET /merchants/:id';
const MERCHANTS = 'GET /identities/:id/merchants';
const TRANSACTION = 'GET /transactions/:id';
const TRANSACTIONS = 'GET /merchants/:id/transactions';
const LINE = 'GET /lines/:id';
const LINES = 'GET /merchants/:id/lines';
const USER = 'GET /users/:id';
const USERS = 'GET /users';

const money = '{ minorUnits currency }';

/** Queries and exactly the calls that they cause, in any order. */
const table: [what: string, query: () => string, calls: string[]][] = [
  [
    'a merchant with 20 transactions, card and merchant name',
    () =>
      `{ merchant(id: "${merchant.id}") { name transactions(first: 20) {
        edges { node { id amount ${money} card { last4 } merchant { name } } } } } }`,
    [MERCHANT, TRANSACTIONS],
  ],
  ['the currencies', () => '{ currencies { code } }', []],
  ['the viewer, twice', () => '{ viewer { id } again: viewer { name } }', [ME]],
  ['merchants', () => '{ merchants { edges { node { name } } } }', [ME, MERCHANTS]],
  [
    'a merchant three times: by both ids and as a node',
    () =>
      `{ merchant(id: "${merchant.id}") { name } raw: merchant(id: "${merchant.id.slice(4)}") { name }
        node(id: "${merchant.id}") { id } }`,
    [MERCHANT],
  ],
  [
    'all merchants with their transactions: one list each and no call for an item',
    () =>
      `{ merchants { edges { node { transactions(first: 5) { edges { node {
        trail { amount ${money} balance ${money} } merchant { name } } } } } } } }`,
    [ME, MERCHANTS, TRANSACTIONS, TRANSACTIONS, TRANSACTIONS],
  ],
  [
    'a transaction with the balance of its trail in the funding currency',
    () =>
      `{ transaction(id: "${transaction}") { trail { balance ${money} } availableActions { action } } }`,
    [TRANSACTION, MERCHANT],
  ],
  [
    'a transaction, its merchant, and that merchant’s transactions',
    () =>
      `{ transaction(id: "${transaction}") { merchant { transactions(first: 2) { edges { node { id } } } } } }`,
    [TRANSACTION, MERCHANT, TRANSACTIONS],
  ],
  ['a line', () => `{ line(id: "${line}") { description test } }`, [LINE]],
  [
    'lines with amounts in the funding currency: the merchant is already loaded',
    () =>
      `{ merchant(id: "${merchant.id}") { lines(first: 20) { edges { node { balance ${money} fee ${money} } } } } }`,
    [MERCHANT, LINES],
  ],
  [
    'a page of 100 of a shorter list: one call shows that it has ended',
    () =>
      `{ merchant(id: "${merchant.id}") { lines(first: 100) { edges { cursor } pageInfo { hasNextPage } } } }`,
    [MERCHANT, LINES],
  ],
  [
    'the same page of a list twice',
    () =>
      `{ merchant(id: "${merchant.id}") { a: lines(first: 5) { edges { cursor } } b: lines(first: 5) { edges { node { id } } } } }`,
    [MERCHANT, LINES],
  ],
  [
    'no item of a list',
    () => `{ merchant(id: "${merchant.id}") { lines(first: 0) { edges { cursor } } } }`,
    [MERCHANT],
  ],
  [
    'whether a list has items',
    () => `{ merchant(id: "${merchant.id}") { lines(first: 0) { pageInfo { hasNextPage } } } }`,
    [MERCHANT, LINES],
  ],
  [
    'three user records, one of them twice',
    () =>
      `{ ${[0, 1, 2, 0].map((n, at) => `u${at}: user(id: "${userIds[n]}") { name }`).join(' ')} }`,
    [USER, USER, USER],
  ],
  [
    'four user records: one list',
    () => `{ ${[0, 1, 2, 3].map((n) => `u${n}: user(id: "${userIds[n]}") { name }`).join(' ')} }`,
    [USERS],
  ],
  [
    'two pages of user records',
    () => '{ users(first: 2) { edges { cursor } } last: users(last: 2) { edges { cursor } } }',
    [USERS],
  ],
  [
    'a transaction that does not exist',
    () => '{ transaction(id: "0123456789abcdef01234567") { id } }',
    [TRANSACTION],
  ],
];

test.each(table)('%s', async (_what, query, calls) => {
  // The caller was identified in beforeAll, which `users` needs; the result is remembered.
  stack.calls.length = 0;
  const answer = await stack.ask(query());
  expect(answer.errors).toBeUndefined();
  expect(stack.calls.toSorted()).toEqual(calls.toSorted());
});

test('a capture reads the transaction to check access, just before its POST, and for the answer', async () => {
  const id = await given(stack).transaction(1000);
  stack.calls.length = 0;
  await stack.ask(
    `mutation { captureTransaction(input: { transactionId: "${id}", amount: { minorUnits: 1, currency: "EUR" }, idempotencyKey: "k" }) {
      ... on CaptureTransactionSuccess { transaction { pendingAmount ${money} } trailEntry { createdAt } } } }`,
  );
  expect(stack.calls).toEqual([
    TRANSACTION,
    TRANSACTION,
    'POST /transactions/:id/captures',
    TRANSACTION,
  ]);
});

test('a page that is larger than the limit of a call is fetched in several calls', async () => {
  const small = await startStack({ pageMax: 7 });
  try {
    const { id } = await given(small).merchant('USD');
    small.calls.length = 0;
    const query = `{ merchant(id: "${id}") { transactions(first: 20) { edges { node { id } } pageInfo { hasNextPage } } } }`;
    const chunked = await small.ask(query);
    expect(small.calls).toEqual([MERCHANT, TRANSACTIONS, TRANSACTIONS, TRANSACTIONS]);
    const { id: same } = await given(stack).merchant('USD');
    const inOneCall = await stack.ask(query.replace(id, same));
    expect(chunked.data).toEqual(inOneCall.data);
  } finally {
    await small.close();
  }
});
