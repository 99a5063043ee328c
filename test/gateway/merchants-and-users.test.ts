import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { given } from '../support/given.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

const ERROR = '... on RequestError { details { path message } } ... on MutationError { code path }';

describe('merchants', () => {
  const CREATE = `mutation ($input: CreateMerchantInput!) { createMerchant(input: $input) {
    __typename ... on CreateMerchantSuccess { merchant { id name fundingCurrency test email website statementDescriptor
    company { country number } bank { iban } createdAt publicKey transactions { edges { cursor } } } } ${ERROR} } }`;
  const input = {
    name: 'Fjord Outdoor',
    fundingCurrency: 'NOK',
    test: true,
    email: 'post@fjord.example',
    website: 'https://fjord.example',
    statementDescriptor: 'FJORD OUTDOOR',
    company: { country: 'NO', number: '12' },
    bank: { iban: 'NO9386011117947' },
  };

  test('are created with all fields, and are in the list immediately', async () => {
    const { data } = await stack.ask(CREATE, { input });
    const { merchant } = data.createMerchant;
    expect(merchant).toMatchObject({ ...input, transactions: { edges: [] } });
    const { data: listed } = await stack.ask('{ merchants(first: 100) { edges { node { id } } } }');
    expect(listed.merchants.edges.map(({ node }: { node: object }) => node)).toContainEqual({
      id: merchant.id,
    });
  });

  test('with invalid fields are rejected, and the error names each field as the graph does', async () => {
    const { data } = await stack.ask(CREATE, {
      input: { ...input, fundingCurrency: 'JPY', email: 'nobody', company: { country: 'XX' } },
    });
    expect(data.createMerchant).toEqual({
      __typename: 'RequestError',
      code: 'INVALID_INPUT',
      path: null,
      details: [
        { path: ['input', 'fundingCurrency'], message: 'Must be a funding currency' },
        { path: ['input', 'email'], message: 'Must be an e-mail address' },
        {
          path: ['input', 'company', 'country'],
          message: 'Must be an ISO 3166-1 alpha-2 country code',
        },
      ],
    });
  });

  test('can change name, e-mail address and descriptor; absent fields stay as they are', async () => {
    const { data: created } = await stack.ask(CREATE, { input });
    const { id } = created.createMerchant.merchant;
    const UPDATE = `mutation ($input: UpdateMerchantInput!) { updateMerchant(input: $input) {
      __typename ... on UpdateMerchantSuccess { merchant { name email statementDescriptor } } ${ERROR} } }`;
    const { data } = await stack.ask(UPDATE, { input: { merchantId: id, name: 'Fjord' } });
    expect(data.updateMerchant).toEqual({
      __typename: 'UpdateMerchantSuccess',
      merchant: {
        name: 'Fjord',
        email: input.email,
        statementDescriptor: input.statementDescriptor,
      },
    });
    const { data: nothing } = await stack.ask(UPDATE, { input: { merchantId: id } });
    expect(nothing.updateMerchant).toMatchObject({ code: 'INVALID_INPUT', path: ['input'] });
    const { data: cleared } = await stack.ask(UPDATE, {
      input: { merchantId: id, name: 'Other', email: null },
    });
    expect(cleared.updateMerchant).toMatchObject({
      code: 'INVALID_INPUT',
      path: ['input', 'email'],
    });
  });

  test('that do not exist are not found', async () => {
    const { data } = await stack.ask(
      `mutation { updateMerchant(input: { merchantId: "0123456789abcdef01234567", name: "x" }) { ${ERROR} } }`,
    );
    expect(data.updateMerchant).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('user records', () => {
  const USER = 'user { id rawId name email address }';
  const ada = { name: 'Ada', email: 'ada@mail.example', address: 'Torvet 1' };

  async function create(fields: object = ada) {
    const { data } = await stack.ask(
      `mutation ($input: CreateUserInput!) { createUser(input: $input) { __typename ... on CreateUserSuccess { ${USER} } ${ERROR} } }`,
      { input: fields },
    );
    return data.createUser;
  }

  test('are created, and can be loaded by both ids and as a node', async () => {
    const { user } = await create();
    expect(user).toMatchObject(ada);
    const { data } = await stack.ask(
      `{ user(id: "${user.id}") { name } raw: user(id: "${user.rawId}") { name } node(id: "${user.id}") { __typename ... on User { name } } }`,
    );
    expect(data).toEqual({
      user: { name: 'Ada' },
      raw: { name: 'Ada' },
      node: { __typename: 'User', name: 'Ada' },
    });
  });

  test('can be found by their e-mail address, and counted', async () => {
    const email = 'only.here@mail.example';
    for (const name of ['Ada', 'Bo']) await create({ ...ada, name, email });
    const { data } = await stack.ask(
      '{ users(first: 1, email: " Only.Here@Mail.example ") { edges { node { name } } totalCount pageInfo { hasNextPage } } all: users(first: 0) { totalCount } none: users(email: "") { totalCount } }',
    );
    expect(data.users).toEqual({
      edges: [{ node: { name: 'Ada' } }],
      totalCount: 2,
      pageInfo: { hasNextPage: true },
    });
    expect(data.all.totalCount).toBeGreaterThan(2);
    expect(data.none.totalCount).toBe(0);
  });

  test('null clears the address, and nothing else', async () => {
    const { user } = await create();
    const UPDATE = `mutation ($input: UpdateUserInput!) { updateUser(input: $input) {
      ... on UpdateUserSuccess { ${USER} } ${ERROR} } }`;
    const { data } = await stack.ask(UPDATE, { input: { userId: user.id, address: null } });
    expect(data.updateUser.user).toMatchObject({ ...ada, address: null });
    const { data: rejected } = await stack.ask(UPDATE, { input: { userId: user.id, name: null } });
    expect(rejected.updateUser).toMatchObject({ code: 'INVALID_INPUT', path: ['input', 'name'] });
  });

  test('can be replaced, updated and deleted', async () => {
    const { user } = await create();
    const replaced = { name: 'Ada N', email: 'n@mail.example', address: '' };
    const { data } = await stack.ask(
      `mutation ($replace: ReplaceUserInput!, $update: UpdateUserInput!) {
        replaceUser(input: $replace) { ... on ReplaceUserSuccess { ${USER} } }
        updateUser(input: $update) { ... on UpdateUserSuccess { ${USER} } }
        deleteUser(input: { userId: "${user.id}" }) { ... on DeleteUserSuccess { deletedUserId } }
        again: deleteUser(input: { userId: "${user.id}" }) { ${ERROR} } }`,
      { replace: { userId: user.id, ...replaced }, update: { userId: user.rawId, name: 'Ada O' } },
    );
    expect(data.replaceUser.user).toMatchObject({ ...replaced, address: null });
    expect(data.updateUser.user).toMatchObject({ name: 'Ada O', email: replaced.email });
    expect(data.deleteUser).toEqual({ deletedUserId: user.id });
    expect(data.again).toMatchObject({ code: 'NOT_FOUND' });
    const { data: gone } = await stack.ask(
      `{ user(id: "${user.id}") { name } node(id: "${user.id}") { id } }`,
    );
    expect(gone).toEqual({ user: null, node: null });
  });

  test('show a change in the same operation', async () => {
    const { user } = await create();
    const { data } = await stack.ask(
      `mutation { updateUser(input: { userId: "${user.id}", name: "Changed" }) { ... on UpdateUserSuccess { ${USER} } } }`,
    );
    expect(data.updateUser.user.name).toBe('Changed');
  });

  test('that the service rejects are errors that name each field', async () => {
    expect(await create({ name: '', email: 'x', address: 'y'.repeat(501) })).toMatchObject({
      __typename: 'RequestError',
      code: 'INVALID_INPUT',
      details: [
        { path: ['input', 'name'] },
        { path: ['input', 'email'] },
        { path: ['input', 'address'] },
      ],
    });
  });

  test('need at least one field to update', async () => {
    const { user } = await create();
    stack.calls.length = 0;
    const { data } = await stack.ask(
      `mutation { updateUser(input: { userId: "${user.id}" }) { ${ERROR} } }`,
    );
    expect(data.updateUser).toMatchObject({ code: 'INVALID_INPUT' });
    expect(stack.calls).toEqual([]);
  });
});

describe('nodes', () => {
  test('of every kind are found by their id, in the order asked for', async () => {
    const { id: merchant } = await given(stack).merchant();
    const { data } = await stack.ask(
      `{ viewer { id } users(first: 1) { edges { node { id } } }
        merchant(id: "${merchant}") { transactions(first: 1) { edges { node { id } } } lines(first: 1) { edges { node { id } } } } }`,
    );
    const ids = [
      data.viewer.id,
      data.users.edges[0].node.id,
      data.merchant.transactions.edges[0].node.id,
      'txn_0123456789abcdef01234567',
      merchant,
      data.merchant.lines.edges[0].node.id,
    ];
    const { data: found } = await stack.ask(
      'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }',
      { ids },
    );
    expect(found.nodes).toEqual([
      { __typename: 'App', id: ids[0] },
      { __typename: 'User', id: ids[1] },
      { __typename: 'Transaction', id: ids[2] },
      null,
      { __typename: 'Merchant', id: ids[4] },
      { __typename: 'Line', id: ids[5] },
    ]);
  });

  test('are limited to 100; more are invalid input, without a call', async () => {
    stack.calls.length = 0;
    const ids = Array.from({ length: 101 }, (_, index) => `txn_${index}`);
    const { data, errors } = await stack.ask('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', {
      ids,
    });
    expect(data ?? null).toBeNull();
    expect(errors?.[0]).toMatchObject({
      message: '`ids` must have up to 100 items; it had 101.',
      extensions: { code: 'BAD_USER_INPUT', argument: 'ids' },
    });
    expect(stack.calls).toEqual([]);
  });

  test('require node ids', async () => {
    const { id, rawId } = await given(stack).merchant();
    const { data, errors } = await stack.ask(
      `{ raw: node(id: "${rawId}") { id } list: nodes(ids: ["nope_1", "${id}"]) { id } }`,
    );
    expect(data).toEqual({ raw: null, list: [null, { id }] });
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual([
      'BAD_USER_INPUT',
      'BAD_USER_INPUT',
    ]);
  });
});
