import { readFileSync } from 'node:fs';
import { ConnectionHandler, commitLocalUpdate, type Environment, ROOT_ID } from 'relay-runtime';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { type Stack, startGateway, startStack } from '../support/start-stack.ts';
import { createEnvironment } from './relay/environment.ts';
import { openTransactionList } from './relay/transaction-list.ts';
import { openUserList } from './relay/user-list.ts';

let stack: Stack;
let environment: Environment;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());
beforeEach(() => {
  environment = createEnvironment(`${stack.url}/graphql`, stack.sandbox.demoApp.key);
});

/** The ids in a connection, read from the store without a fragment. */
function idsInStore(parentId: string, key: string): readonly string[] {
  let ids: readonly string[] = [];
  commitLocalUpdate(environment, (store) => {
    const parent = store.get(parentId);
    const edges = parent && ConnectionHandler.getConnection(parent, key)?.getLinkedRecords('edges');
    ids = (edges ?? []).map((edge) => edge.getLinkedRecord('node')?.getDataID() ?? 'no node');
  });
  return ids;
}

async function latest(merchantId: string, first: number): Promise<string[]> {
  const { data } = await stack.ask(
    `query ($id: ID!, $first: Int!) {
      merchant(id: $id) { transactions(first: $first) { edges { node { id } } } }
    }`,
    { id: merchantId, first },
  );
  return data.merchant.transactions.edges.map(({ node }: { node: { id: string } }) => node.id);
}

test('the compiler uses the scalar types that the project publishes', () => {
  const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
  const { customScalarTypes } = read('relay/relay.config.json');
  expect(customScalarTypes).toEqual(read('../../schema/scalars.json'));
});

test('the refetch query loads the next pages of a connection into the store', async () => {
  const { id } = await given(stack).merchant();
  const list = await openTransactionList(environment, id, 7);
  expect(await list.loadNext()).toBe(true);
  expect(await list.loadNext()).toBe(true);

  const expected = await latest(id, 21);
  stack.calls.length = 0;
  expect((await list.rows()).map((row) => row.id)).toEqual(expected);
  expect(idsInStore(id, 'transactionList_transactions')).toEqual(expected);
  expect(stack.calls).toEqual([]);
});

test('a new payment is the first node of its connection', async () => {
  const { id } = await given(stack).merchant();
  const list = await openTransactionList(environment, id, 3);
  const before = await list.rows();
  const transactionId = await given(stack).successful(id);
  const input = {
    merchantId: id,
    source: { transactionId },
    amount: { minorUnits: 4321, currency: 'EUR' },
    idempotencyKey: newKey(),
  };
  expect(await list.chargeAgain(input)).toBe('Charged.');

  const [first, ...others] = await list.rows();
  expect(first?.text).toContain('43.21 EUR');
  expect(others).toEqual(before);
  expect(idsInStore(id, 'transactionList_transactions')).toEqual(await latest(id, 4));

  await list.loadNext();
  expect((await list.rows()).map((row) => row.id)).toEqual(await latest(id, 7));
});

test('a rejected payment changes no connection', async () => {
  const { id } = await given(stack).merchant();
  const list = await openTransactionList(environment, id, 3);
  const before = await list.rows();
  const transactionId = await given(stack).successful(id);
  const input = {
    merchantId: id,
    source: { transactionId },
    amount: { minorUnits: 0, currency: 'EUR' },
    idempotencyKey: newKey(),
  };
  expect(await list.chargeAgain(input)).toContain('greater than zero');
  expect(await list.chargeAgain({ ...input, merchantId: transactionId })).toContain('No answer.');
  expect(await list.rows()).toEqual(before);
});

test('a connection of Query has pages too, and a record can be added and removed', async () => {
  const { data } = await stack.ask('{ users(first: 100) { edges { node { id name } } } }');
  const all = data.users.edges.map(({ node }: { node: { id: string; name: string } }) => ({
    id: node.id,
    text: node.name,
  }));
  const list = await openUserList(environment, 2);
  while (await list.loadNext());
  expect(await list.rows()).toEqual(all);

  const input = { name: 'Nora New', email: 'nora@example.com', address: '' };
  expect(await list.create(input)).toBe('Created.');
  const [created] = (await list.rows()).slice(-1);
  expect(created?.text).toBe('Nora New');
  expect(idsInStore(ROOT_ID, 'userList_users').at(-1)).toBe(created?.id);

  expect(await list.remove(created?.id ?? '')).toBe('Deleted.');
  expect(await list.rows()).toEqual(all);
});

test('a field that is null only with an error is never null; reading it throws', async () => {
  const { usersUrl, paymentsUrl, posUrl } = stack.sandbox;
  const closed = await startGateway({
    services: { usersUrl, paymentsUrl, posUrl },
    usersAccess: [],
  });
  environment = createEnvironment(`${closed.url}/graphql`, stack.sandbox.demoApp.key);
  const list = await openUserList(environment, 2);
  await expect(list.rows()).rejects.toThrow('Unexpected response payload');
  await closed.close();
});
