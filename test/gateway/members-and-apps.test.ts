import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { given } from '../support/given.ts';
import { type Stack, startGateway, startStack } from '../support/start-stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

const ERROR = '... on RequestError { details { path message } } ... on MutationError { code path }';
const MEMBERS = 'members(first: 50) { edges { node { id rawId email name createdAt } } }';

interface Person {
  readonly id: string;
  readonly rawId: string;
  readonly email: string;
}

async function membersOf(id: string): Promise<Person[]> {
  const { data } = await stack.ask(`{ merchant(id: "${id}") { ${MEMBERS} } }`);
  return data.merchant.members.edges.map(({ node }: { node: Person }) => node);
}

async function invite(merchantId: string, email: string) {
  const { data } = await stack.ask(
    `mutation ($input: InviteMerchantMemberInput!) { inviteMerchantMember(input: $input) {
      __typename ... on InviteMerchantMemberSuccess { isMember member { email } merchant { ${MEMBERS} } } ${ERROR} } }`,
    { input: { merchantId, email } },
  );
  return data.inviteMerchantMember;
}

async function revoke(merchantId: string, memberId: string) {
  return stack.ask(
    `mutation ($input: RevokeMerchantMemberInput!) { revokeMerchantMember(input: $input) {
      __typename ... on RevokeMerchantMemberSuccess { revokedMemberId merchant { ${MEMBERS} } } ${ERROR} } }`,
    { input: { merchantId, memberId } },
  );
}

describe('members', () => {
  test('can be invited, listed newest first, loaded as nodes, and revoked by either id', async () => {
    const { id } = await given(stack).merchant('USD');
    const email = 'new.member@mail.example';
    expect(await invite(id, email)).toMatchObject({
      __typename: 'InviteMerchantMemberSuccess',
      isMember: false,
      member: { email },
    });
    expect(await invite(id, email.toUpperCase())).toMatchObject({
      isMember: true,
      member: { email },
    });
    const [member] = await membersOf(id);
    expect(member).toMatchObject({ email, name: null });
    const { data: node } = await stack.ask(
      `{ node(id: "${member?.id}") { __typename id ... on MerchantMember { rawId email } } }`,
    );
    expect(node.node).toEqual({
      __typename: 'MerchantMember',
      id: member?.id,
      rawId: member?.rawId,
      email,
    });

    const { data } = await revoke(id, member?.rawId ?? '');
    expect(data.revokeMerchantMember.revokedMemberId).toBe(member?.id);
    const left = data.revokeMerchantMember.merchant.members.edges;
    expect(left.map(({ node }: { node: Person }) => node.email)).not.toContain(email);
    expect((await stack.ask(`{ node(id: "${member?.id}") { id } }`)).data.node).toBeNull();
    expect((await revoke(id, member?.id ?? '')).data.revokeMerchantMember).toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  test('of another merchant are invalid input by their node id, without a call', async () => {
    const { id: euros } = await given(stack).merchant('EUR');
    const { id: kroner } = await given(stack).merchant('DKK');
    const [member] = await membersOf(euros);
    stack.calls.length = 0;
    const { data, errors } = await revoke(kroner, member?.id ?? '');
    expect(data.revokeMerchantMember).toBeNull();
    expect(errors?.[0]).toMatchObject({
      message: '`input.memberId` is a member of another merchant.',
      extensions: { code: 'BAD_USER_INPUT' },
    });
    expect(stack.calls).toEqual([]);
  });

  test('that cannot be invited are errors that name the field', async () => {
    const { id } = await given(stack).merchant();
    expect(await invite(id, 'nobody')).toMatchObject({
      code: 'INVALID_INPUT',
      path: ['input', 'email'],
    });
    expect(await invite('0123456789abcdef01234567', 'a@b.example')).toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('the user records of members', () => {
  test('have their e-mail address, and all of them need one list', async () => {
    const { id } = await given(stack).merchant('EUR');
    stack.calls.length = 0;
    const { data } = await stack.ask(
      `{ merchant(id: "${id}") { members { edges { node { email userRecords { name email } } } } } }`,
    );
    expect(stack.calls.filter((call) => call === 'GET /users')).toHaveLength(1);
    const records = data.merchant.members.edges.map(
      ({ node }: { node: { email: string; userRecords: { name: string }[] } }) => [
        node.email,
        node.userRecords.map(({ name }) => name),
      ],
    );
    expect(records).toContainEqual(['astrid@nordlys.example', ['Astrid Holm']]);
  });

  test('have memberships of the merchants that the caller has access to, and of no other', async () => {
    const query = `query ($email: String!) { users(email: $email) { edges { node {
      name memberships { email } } } } }`;
    const email = 'astrid@nordlys.example';
    const { data } = await stack.ask(query, { email: ` ${email.toUpperCase()}` });
    const [{ node }] = data.users.edges;
    expect(node.name).toBe('Astrid Holm');
    expect(node.memberships.length).toBeGreaterThan(0);
    expect(node.memberships.every((member: { email: string }) => member.email === email)).toBe(
      true,
    );
    const { data: created } = await stack.ask(
      'mutation { createApp(input: {}) { ... on CreateAppSuccess { key } } }',
    );
    const { usersUrl, paymentsUrl, posUrl } = stack.sandbox;
    const open = await startGateway({
      services: { usersUrl, paymentsUrl, posUrl },
      usersAccess: '*',
    });
    onTestFinished(() => open.close());
    const other = await open.ask(query, { email }, created.createApp.key);
    expect(other.data.users.edges[0].node.memberships).toEqual([]);
  });

  test('belong to the contact of a merchant, if they have its address', async () => {
    const { id } = await given(stack).merchant('EUR');
    const query = 'query ($id: ID!) { merchant(id: $id) { email contactRecords { email } } }';
    const { data } = await stack.ask(query, { id });
    const { email, contactRecords } = data.merchant;
    const { data: made } = await stack.ask(
      `mutation ($email: String!) { createUser(input: { name: "Contact", email: $email, address: "Street 1" }) {
        ... on CreateUserSuccess { user { id } } } }`,
      { email: email.toUpperCase() },
    );
    expect(made.createUser.user.id).toBeDefined();
    const { data: after } = await stack.ask(query, { id });
    expect(after.merchant.contactRecords).toHaveLength(contactRecords.length + 1);
  });

  test('are null if that service is down, and only that service has an error', async () => {
    const { paymentsUrl, posUrl, demoApp } = stack.sandbox;
    const gateway = await startGateway({
      services: { usersUrl: `http://127.0.0.1:${await freePort()}`, paymentsUrl, posUrl },
      usersAccess: '*',
    });
    try {
      const { data, errors } = await gateway.ask(
        '{ merchants(first: 1) { edges { node { name members(first: 1) { edges { node { email userRecords { name } } } } } } } }',
        {},
        demoApp.key,
      );
      const [{ node }] = data.merchants.edges[0].node.members.edges;
      expect(node.email).toMatch(/@/);
      expect(node.userRecords).toBeNull();
      expect(errors).toHaveLength(1);
      expect(errors?.[0]?.extensions).toEqual({ code: 'UPSTREAM_UNAVAILABLE', service: 'users' });
    } finally {
      await gateway.close();
    }
  });
});

describe('apps', () => {
  async function createApp(name?: string) {
    const { data } = await stack.ask(
      `mutation ($input: CreateAppInput!) { createApp(input: $input) {
        __typename ... on CreateAppSuccess { key app { id rawId name } } ${ERROR} } }`,
      { input: { name } },
      null,
    );
    return data.createApp;
  }

  async function change(
    field: 'addMerchantApp' | 'revokeMerchantApp',
    merchantId: string,
    appId: string,
  ) {
    const Name = `${field.charAt(0).toUpperCase()}${field.slice(1)}`;
    const changed = field === 'revokeMerchantApp' ? 'revokedAppId' : 'app { id name }';
    const { data } = await stack.ask(
      `mutation ($input: ${Name}Input!) { ${field}(input: $input) {
        __typename ... on ${Name}Success { ${changed} merchant { apps { edges { node { id name } } } } } ${ERROR} } }`,
      { input: { merchantId, appId } },
    );
    return data[field];
  }

  test('are created without a key, and their own key is shown once', async () => {
    const created = await createApp('Till 7');
    expect(created).toMatchObject({ __typename: 'CreateAppSuccess', app: { name: 'Till 7' } });
    const { data } = await stack.ask('{ viewer { id name } }', {}, created.key);
    expect(data.viewer).toEqual({ id: created.app.id, name: 'Till 7' });
    expect(await createApp('x'.repeat(201))).toMatchObject({ path: ['input', 'name'] });
  });

  test('gain and lose access to a merchant immediately, and lists never show a key', async () => {
    const { id } = await given(stack).merchant();
    const { app, key } = await createApp('Guest');
    const read = `{ merchant(id: "${id}") { id } }`;
    expect((await stack.ask(read, {}, key)).errors?.[0]?.extensions.code).toBe('FORBIDDEN');

    const added = await change('addMerchantApp', id, app.id);
    const [newest] = added.merchant.apps.edges;
    expect(newest).toEqual({ node: { id: app.id, name: 'Guest' } });
    expect(added.app).toEqual(newest.node);
    expect(JSON.stringify(added)).not.toContain(key);
    expect((await stack.ask(read, {}, key)).data.merchant).toEqual({ id });

    expect((await change('revokeMerchantApp', id, app.rawId)).revokedAppId).toBe(app.id);
    expect((await stack.ask(read, {}, key)).errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    expect(await change('revokeMerchantApp', id, app.id)).toMatchObject({ code: 'NOT_FOUND' });
  });

  test('that do not exist are rejected, and the error names the field', async () => {
    const { id } = await given(stack).merchant();
    expect(await change('addMerchantApp', id, '0123456789abcdef01234567')).toMatchObject({
      code: 'INVALID_INPUT',
      path: ['input', 'appId'],
    });
  });
});
