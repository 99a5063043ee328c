import { afterEach, expect, test } from 'vitest';
import { createUsersAccess } from '../../src/gateway/access/users-access.ts';
import { RestError } from '../../src/gateway/upstream/rest-error.ts';
import { rest } from '../support/rest.ts';
import { type Stack, startGateway, startStack } from '../support/start-stack.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function stackWith(usersAccess: '*' | string[]): Promise<Stack> {
  const stack = await startStack({ usersAccess });
  closers.push(stack.close);
  return stack;
}

/** Every query of user records. */
const READS = `user(id: "u1") { id } users { edges { cursor } } node(id: "usr_u1") { id }`;
const WRITES = [
  'createUser(input: { name: "a", email: "a@b.c", address: "" })',
  'replaceUser(input: { userId: "u1", name: "a", email: "a@b.c", address: "" })',
  'updateUser(input: { userId: "u1", name: "a" })',
  'deleteUser(input: { userId: "u1" })',
];

async function expectNoAccess(stack: Stack, key: string, message: string) {
  const { data, errors } = await stack.ask(`{ ${READS} nodes(ids: ["usr_u1"]) { id } }`, {}, key);
  expect(data).toEqual({ user: null, users: null, node: null, nodes: [null] });
  expect(errors).toHaveLength(4);
  for (const error of errors ?? []) {
    expect(error).toMatchObject({ message, extensions: { code: 'FORBIDDEN', service: 'users' } });
  }
  for (const write of WRITES) {
    const answer = await stack.ask(
      `mutation { w: ${write} { ... on MutationError { code message } } }`,
      {},
      key,
    );
    expect(answer.data.w).toEqual({ code: 'FORBIDDEN', message });
  }
  expect(stack.calls.filter((call) => call.includes('/users'))).toEqual([]);
}

test('without a list, no app has access; the error says how to change that, and nothing is called', async () => {
  const stack = await stackWith([]);
  await expectNoAccess(
    stack,
    stack.sandbox.demoApp.key,
    'No app has access to user records. To change that, set USERS_ACCESS to a list of app ids.',
  );
  expect(stack.calls).toEqual([]);
});

test('with a list, only its apps have access, not every app with a valid key', async () => {
  const stack = await stackWith([]);
  const { body } = await rest(stack.sandbox.paymentsUrl).post('/apps', { name: 'Stranger' });
  const { usersUrl, paymentsUrl, posUrl } = stack.sandbox;
  const gateway = await startGateway({
    services: { usersUrl, paymentsUrl, posUrl },
    usersAccess: [stack.sandbox.demoApp.id],
  });
  closers.push(gateway.close);
  stack.calls.length = 0;
  const withList = { ...stack, ask: gateway.ask };
  await expectNoAccess(
    withList,
    body.app.key,
    `App ${body.app.id} has no access to user records. USERS_ACCESS does not contain it.`,
  );
  expect(stack.calls).toEqual(['GET /me']);
  const { data } = await gateway.ask(
    '{ users(first: 1) { edges { cursor } } }',
    {},
    stack.sandbox.demoApp.key,
  );
  expect(data.users.edges).toHaveLength(1);
});

test('with a star, every app with a valid key has access', async () => {
  const stack = await stackWith('*');
  const { body } = await rest(stack.sandbox.paymentsUrl).post('/apps', {});
  const query = '{ users(first: 1) { edges { cursor } } }';
  expect((await stack.ask(query, {}, body.app.key)).data.users.edges).toHaveLength(1);
  for (const key of ['wrong', null]) {
    const { data, errors } = await stack.ask(query, {}, key);
    expect(data.users).toBeNull();
    expect(errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
  }
});

test('an app is remembered for a minute, a rejected key for five seconds, a failure not at all', async () => {
  let now = 0;
  let asked = 0;
  let answer: string | Error = 'a1';
  const access = createUsersAccess(['a1'], 60_000, () => now);
  const credential = { authorization: 'Basic x', digest: 'd1' };
  const requireAccess = () =>
    access.require(credential, async () => {
      asked++;
      if (answer instanceof Error) throw answer;
      return answer;
    });

  await requireAccess();
  now = 59_999;
  await requireAccess();
  expect(asked).toBe(1);

  answer = new RestError('payments', 'GET', 'unreachable');
  now = 60_000;
  await expect(requireAccess()).rejects.toThrow(answer);
  await expect(requireAccess()).rejects.toThrow(answer);
  expect(asked).toBe(3);

  answer = new RestError('payments', 'GET', 'status', { status: 401 });
  await expect(requireAccess()).rejects.toMatchObject({ status: 401 });
  now += 4_999;
  await expect(requireAccess()).rejects.toMatchObject({ status: 401 });
  expect(asked).toBe(4);
  now += 1;
  answer = 'a1';
  await requireAccess();
  expect(asked).toBe(5);
});
