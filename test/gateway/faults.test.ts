import { afterEach, describe, expect, test } from 'vitest';
import { readVersion } from '../../src/package-files.ts';
import { createMemoryStore } from '../money/support/memory-store.ts';
import { patientStore } from '../support/patience.ts';
import { startGateway } from '../support/start-stack.ts';
import { type StubAnswer, startStubService } from '../support/stub-service.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const KEY = 'unknown-key';
const TRANSACTION = {
  id: 't1',
  merchantId: 'm1',
  amount: 100,
  currency: 'EUR',
  pendingAmount: 100,
  successful: true,
  trail: [],
};
const app: Record<string, StubAnswer> = { 'GET /me': { json: { identity: { id: 'a1' } } } };

/** A gateway in front of two scripted services. */
async function gatewayBefore(scripts: {
  users?: Record<string, StubAnswer>;
  payments?: Record<string, StubAnswer>;
}) {
  const users = await startStubService(scripts.users ?? {});
  const payments = await startStubService(scripts.payments ?? {});
  const gateway = await startGateway({
    services: { usersUrl: users.url, paymentsUrl: payments.url, posUrl: 'http://127.0.0.1:1' },
    usersAccess: '*',
    store: createMemoryStore(Date.now, patientStore.leaseMs),
  });
  closers.push(users.close, payments.close, gateway.close);
  const ask = (query: string, key: string | null = KEY) => gateway.ask(query, {}, key);
  return { ask, url: gateway.url, users, payments };
}

const CAPTURE = `mutation { captureTransaction(input: { transactionId: "t1", amount: { minorUnits: 1, currency: "EUR" }, idempotencyKey: "k" }) {
  __typename ... on MutationError { code message } ... on OutcomeUnknownError { operation { status advice } }
  ... on CaptureTransactionSuccess { transaction { id } } } }`;

const found: Record<string, StubAnswer> = {
  'GET /transactions/t1': { json: { transaction: TRANSACTION } },
};

describe('a rejected capture', () => {
  test('that came second shows the amount that is still available', async () => {
    let reads = 0;
    const { ask } = await gatewayBefore({
      payments: {
        'GET /transactions/t1': (_request, response) => {
          // Read once to check access, and once just before the POST.
          const transaction = { ...TRANSACTION, pendingAmount: reads++ < 2 ? 100 : 0 };
          response.end(JSON.stringify({ transaction }));
        },
        'POST /transactions/t1/captures': { status: 409, json: { message: 'changed' } },
      },
    });
    const { data } = await ask(CAPTURE);
    expect(data.captureTransaction).toMatchObject({ __typename: 'AmountTooLargeError' });
  });

  test('is returned when a read confirms it', async () => {
    let isReadable = true;
    const { ask } = await gatewayBefore({
      payments: {
        'GET /transactions/t1': (_request, response) => {
          if (isReadable) response.end(JSON.stringify({ transaction: TRANSACTION }));
          else response.destroy();
        },
        'POST /transactions/t1/captures': (_request, response) => {
          isReadable = false;
          response.writeHead(400).end('{}');
        },
      },
    });
    const unknown = await ask(CAPTURE);
    expect(unknown.data.captureTransaction).toMatchObject({
      __typename: 'OutcomeUnknownError',
      operation: { status: 'UNKNOWN', advice: 'RETRY_SAME_KEY' },
    });
    isReadable = true;
    const { data } = await ask(CAPTURE);
    expect(data.captureTransaction).toMatchObject({
      __typename: 'RequestError',
      code: 'UPSTREAM_REJECTED',
    });
  });
});

describe('the credential', () => {
  const echo: Record<string, StubAnswer> = { ...app, ...found };

  test('is sent to payments as Basic with an empty user name, and never to user records', async () => {
    const { ask, payments, users } = await gatewayBefore({
      payments: echo,
      users: { 'GET /users': { json: [] } },
    });
    await ask('{ transaction(id: "t1") { test } users { edges { cursor } } }');
    for (const { authorization } of payments.headers)
      expect(authorization).toBe(`Basic ${btoa(`:${KEY}`)}`);
    expect(users.headers.map(({ authorization }) => authorization)).toEqual([undefined]);
  });

  test('that is missing is an error of the fields that need one, and causes no call', async () => {
    const { ask, payments } = await gatewayBefore({ payments: echo });
    const { data, errors } = await ask(
      '{ __typename currencies(funding: true) { code } viewer { id } users { edges { cursor } } }',
      null,
    );
    expect(data).toMatchObject({ __typename: 'Query', viewer: null, users: null });
    expect(data.currencies).toHaveLength(12);
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual([
      'UNAUTHENTICATED',
      'UNAUTHENTICATED',
    ]);
    expect(payments.requests).toEqual([]);
  });

  test.each([
    ['is too long', `Bearer ${'x'.repeat(201)}`],
    ['is empty', `Basic ${btoa(':')}`],
    ['has a control character', `Basic ${btoa(':a\r\nb')}`],
    ['has a user name', `Basic ${btoa('me:key')}`],
    ['has another scheme', 'Digest key'],
  ])('that %s is not forwarded', async (_what, authorization) => {
    const { url, payments } = await gatewayBefore({ payments: echo });
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization },
      body: '{"query":"{ viewer { id } }"}',
    });
    const { errors } = await response.json();
    expect(errors[0].extensions.code).toBe('UNAUTHENTICATED');
    expect(payments.requests).toEqual([]);
  });
});

test('every call says which program makes it', async () => {
  const { ask, payments, users } = await gatewayBefore({
    payments: { ...app, ...found, 'POST /transactions/t1/captures': { status: 400 } },
    users: { 'GET /users': { json: [] }, 'PATCH /users/u1': { json: { id: 'u1' } } },
  });
  await ask('{ users { edges { cursor } } }');
  await ask('mutation { updateUser(input: { userId: "u1", name: "Ada" }) { __typename } }');
  await ask(CAPTURE);
  const calls = [...payments.requests, ...users.requests];
  expect(calls).toEqual(expect.arrayContaining(['GET /me', 'PATCH /users/u1', 'GET /users']));
  expect(calls).toContain('POST /transactions/t1/captures');
  const agents = [...payments.headers, ...users.headers].map((each) => each['user-agent']);
  expect(new Set(agents)).toEqual(new Set([`tillgraph/${readVersion()}`]));
});

describe('an id that is not safe in a path', () => {
  test('is a bad response if a service sends it', async () => {
    const { ask, payments } = await gatewayBefore({
      payments: {
        'GET /transactions/t1': { json: { transaction: { ...TRANSACTION, merchantId: '../me' } } },
      },
    });
    const { data, errors } = await ask('{ transaction(id: "t1") { merchant { name } } }');
    expect(data).toEqual({ transaction: { merchant: null } });
    expect(errors?.[0]?.extensions).toEqual({ code: 'UPSTREAM_BAD_RESPONSE' });
    expect(payments.requests).toEqual(['GET /transactions/t1']);
  });

  const unsafeIds = [
    '..',
    '.',
    '',
    '../me',
    'a?x',
    'a#b',
    '%2e%2e',
    'a\\..\\b',
    'a\r\nb',
    'mer_..',
    'txn_../me',
    'x'.repeat(2 ** 16),
  ];
  test.each(unsafeIds.map((id) => [JSON.stringify(id).slice(0, 20), id]))(
    'such as %s is never sent to a service',
    async (_name, id) => {
      const { ask, payments, users } = await gatewayBefore({ payments: app, users: {} });
      // Identifies the caller, which access to user records needs; the result is remembered.
      await ask('{ user(id: "known") { id } }');
      payments.requests.length = 0;
      users.requests.length = 0;
      const text = JSON.stringify(id);
      const amount = 'amount: { minorUnits: 1, currency: "EUR" }, idempotencyKey: "k"';
      for (const field of ['merchant', 'transaction', 'line', 'user', 'node'].map(
        (name) => `${name}(id: ${text}) { id }`,
      )) {
        const { data, errors } = await ask(`{ field: ${field} }`);
        expect(data).toEqual({ field: null });
        expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT' });
      }
      for (const field of [
        `captureTransaction(input: { transactionId: ${text}, ${amount} }) { __typename }`,
        `createTransaction(input: { merchantId: ${text}, source: { transactionId: "t1" }, ${amount} }) { __typename }`,
        `createTransaction(input: { merchantId: "m1", source: { transactionId: ${text} }, ${amount} }) { __typename }`,
        `updateMerchant(input: { merchantId: ${text}, name: "x" }) { __typename }`,
        `updateUser(input: { userId: ${text}, name: "x" }) { __typename }`,
        `deleteUser(input: { userId: ${text} }) { __typename }`,
      ]) {
        const { data, errors } = await ask(`mutation { field: ${field} }`);
        expect(data).toEqual({ field: null });
        expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT' });
      }
      expect([...payments.requests, ...users.requests]).toEqual([]);
    },
  );
});
