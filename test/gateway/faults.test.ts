import { afterEach, describe, expect, test } from 'vitest';
import type { RestLimits } from '../../src/gateway/rest/service.ts';
import { createMemoryStore } from '../money/support/memory-store.ts';
import { patientGateway, patientStore } from '../support/patience.ts';
import { freePort } from '../support/postgres-server.ts';
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

const MAX_BYTES = 4096;
/** Time limits that end soon, for a service that does not answer. */
const impatient = { connectMs: 1_000, getMs: 1_000, writeMs: 1_000 };

/** A gateway in front of two scripted services. A service without a script cannot be reached. */
async function gatewayBefore(
  scripts: {
    users?: Record<string, StubAnswer>;
    payments?: Record<string, StubAnswer>;
  },
  limits: Partial<RestLimits> = {},
) {
  async function start(script: Record<string, StubAnswer> | undefined) {
    if (script === undefined)
      return {
        url: `http://127.0.0.1:${await freePort()}`,
        requests: [],
        headers: [],
        close: async () => {},
      };
    const service = await startStubService(script);
    let closed: Promise<void> | undefined;
    const close = () => (closed ??= service.close());
    closers.push(close);
    return { ...service, close };
  }
  const users = await start(scripts.users);
  const payments = await start(scripts.payments);
  const gateway = await startGateway({
    services: { usersUrl: users.url, paymentsUrl: payments.url, posUrl: 'http://127.0.0.1:1' },
    usersAccess: '*',
    limits: { ...patientGateway.limits, maxBytes: MAX_BYTES, ...limits },
    store: createMemoryStore(Date.now, patientStore.leaseMs),
  });
  closers.push(gateway.close);
  const ask = (query: string, key: string | null = KEY) => gateway.ask(query, {}, key);
  return { ask, url: gateway.url, users, payments, bugs: gateway.bugs };
}

const CAPTURE = `mutation { captureTransaction(input: { transactionId: "t1", amount: { minorUnits: 1, currency: "EUR" }, idempotencyKey: "k" }) {
  __typename ... on MutationError { code message } ... on OutcomeUnknownError { operation { status advice } }
  ... on CaptureTransactionSuccess { transaction { id } } } }`;

describe('a service that cannot be reached', () => {
  test('affects its own fields and no others', async () => {
    const { ask } = await gatewayBefore({ payments: app });
    const { data, errors } = await ask(
      '{ viewer { rawId } users { edges { cursor } } currencies(funding: true) { code } }',
    );
    expect(data.viewer).toEqual({ rawId: 'a1' });
    expect(data.currencies).toHaveLength(12);
    expect(data.users).toBeNull();
    expect(errors).toEqual([
      expect.objectContaining({
        message: 'The user-records service is not available.',
        path: ['users'],
        extensions: { code: 'UPSTREAM_UNAVAILABLE', service: 'users' },
      }),
    ]);
  });

  test('blocks user records if it is the one that identifies callers', async () => {
    const { ask, users } = await gatewayBefore({ users: { 'GET /users': { json: [] } } });
    const { data, errors } = await ask('{ users { edges { cursor } } }');
    expect(data.users).toBeNull();
    expect(errors?.[0]?.extensions).toEqual({ code: 'UPSTREAM_UNAVAILABLE', service: 'payments' });
    expect(users.requests).toEqual([]);
  });

  test('does not block user records for a caller that it has just identified', async () => {
    const { ask, payments } = await gatewayBefore({
      users: { 'GET /users': { json: [{ id: 'u1', name: 'Ada' }] } },
      payments: app,
    });
    await ask('{ viewer { rawId } users { edges { cursor } } }');
    await payments.close();
    const { data, errors } = await ask(
      '{ users { edges { node { name } } } merchants { edges { node { name } } } }',
    );
    expect(data).toEqual({ users: { edges: [{ node: { name: 'Ada' } }] }, merchants: null });
    expect(errors).toEqual([
      expect.objectContaining({
        message: 'The payments service is not available.',
        path: ['merchants'],
        extensions: { code: 'UPSTREAM_UNAVAILABLE', service: 'payments' },
      }),
    ]);
  });

  test('means NOT_SENT for a movement of money', async () => {
    const { ask } = await gatewayBefore({ users: {} });
    const { data, errors } = await ask(CAPTURE);
    expect(errors).toBeUndefined();
    expect(data.captureTransaction).toMatchObject({ __typename: 'RequestError', code: 'NOT_SENT' });
  });
});

describe('the response to a read', () => {
  const silent: StubAnswer = () => {};
  const drip: StubAnswer = (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 50);
    response.on('close', () => clearInterval(timer));
  };
  test.each<[string, StubAnswer, string]>([
    ['that never arrives', silent, 'UPSTREAM_TIMEOUT'],
    ['that arrives one byte at a time', drip, 'UPSTREAM_TIMEOUT'],
    [
      'that is interrupted',
      (_request, response) => void response.destroy(),
      'UPSTREAM_UNAVAILABLE',
    ],
    ['with status 500', { status: 500, json: { secret: 'SECRET' } }, 'UPSTREAM_UNAVAILABLE'],
    ['with status 503', { status: 503, text: 'SECRET' }, 'UPSTREAM_UNAVAILABLE'],
    ['with status 429', { status: 429, text: 'SECRET' }, 'UPSTREAM_UNAVAILABLE'],
    ['that is a redirect', { status: 302, text: 'SECRET' }, 'UPSTREAM_BAD_RESPONSE'],
    ['that is not JSON', { text: '<html>SECRET' }, 'UPSTREAM_BAD_RESPONSE'],
    ['that is cut short', { text: '{"transaction":{"id":"t1","SECRET' }, 'UPSTREAM_BAD_RESPONSE'],
    ['that is empty', { text: '' }, 'UPSTREAM_BAD_RESPONSE'],
    ['that is not a record', { json: ['SECRET'] }, 'UPSTREAM_BAD_RESPONSE'],
    [
      'that is too large',
      { text: JSON.stringify({ id: 't1', custom: 'SECRET'.repeat(9999) }) },
      'UPSTREAM_BAD_RESPONSE',
    ],
    ['with status 401', { status: 401, text: 'SECRET' }, 'UNAUTHENTICATED'],
    ['with status 403', { status: 403, text: 'SECRET' }, 'FORBIDDEN'],
  ])('%s is an error of its field and reveals no details', async (_what, answer, code) => {
    const { ask, payments, bugs } = await gatewayBefore(
      { payments: { ...app, 'GET /transactions/t1': answer } },
      code === 'UPSTREAM_TIMEOUT' ? impatient : {},
    );
    const { status, data, errors } = await ask(
      '{ viewer { rawId } transaction(id: "t1") { test } }',
    );
    expect(status).toBe(200);
    expect(data).toEqual({ viewer: { rawId: 'a1' }, transaction: null });
    expect(errors).toHaveLength(1);
    expect(errors?.[0]?.extensions).toEqual({ code, service: 'payments' });
    const text = JSON.stringify(errors);
    for (const secret of ['SECRET', KEY, payments.url, 'stack']) expect(text).not.toContain(secret);
    expect(bugs).toEqual([]);
  });

  test.each([404, 410])('with status %i is null without an error', async (status) => {
    const { ask } = await gatewayBefore({
      payments: { 'GET /transactions/t1': { status, json: {} } },
    });
    expect(await ask('{ transaction(id: "t1") { test } }')).toEqual({
      status: 200,
      data: { transaction: null },
    });
  });
});

const found: Record<string, StubAnswer> = {
  'GET /transactions/t1': { json: { transaction: TRANSACTION } },
};
const ambiguous: [string, StubAnswer, string][] = [
  ['that never arrives', () => {}, 'UPSTREAM_TIMEOUT'],
  ['that is interrupted', (_request, response) => void response.destroy(), 'UPSTREAM_UNAVAILABLE'],
  ['with status 500', { status: 500, json: {} }, 'UPSTREAM_UNAVAILABLE'],
  ['with status 408', { status: 408, json: {} }, 'UPSTREAM_BAD_RESPONSE'],
  ['that is a redirect', { status: 307, json: {} }, 'UPSTREAM_BAD_RESPONSE'],
  ['that is not JSON', { status: 201, text: '<html>' }, 'UPSTREAM_BAD_RESPONSE'],
];

describe('an ambiguous response to a write', () => {
  test.each(ambiguous)(
    '%s is an error with an unknown outcome, and the request is not repeated',
    async (_what, answer, code) => {
      const { ask, payments } = await gatewayBefore(
        { payments: { 'POST /apps': answer } },
        code === 'UPSTREAM_TIMEOUT' ? impatient : {},
      );
      const { data, errors } = await ask('mutation { createApp(input: {}) { __typename } }');
      expect(data.createApp).toBeNull();
      expect(errors?.[0]?.extensions).toEqual({ code, service: 'payments', outcome: 'UNKNOWN' });
      expect(errors?.[0]?.message).toContain('The change may or may not have been made');
      expect(payments.requests.filter((call) => !call.startsWith('GET'))).toEqual(['POST /apps']);
    },
  );

  test.each(ambiguous)(
    '%s is an OutcomeUnknownError for a movement of money',
    async (_what, answer, code) => {
      const { ask, payments } = await gatewayBefore(
        { payments: { ...found, 'POST /transactions/t1/captures': answer } },
        code === 'UPSTREAM_TIMEOUT' ? impatient : {},
      );
      const { data, errors } = await ask(CAPTURE);
      expect(errors).toBeUndefined();
      expect(data.captureTransaction).toMatchObject({
        __typename: 'OutcomeUnknownError',
        code: 'OUTCOME_UNKNOWN',
        operation: { status: 'UNKNOWN', advice: 'RETRY_SAME_KEY' },
      });
      expect(payments.requests.filter((request) => request.startsWith('POST'))).toHaveLength(1);
    },
  );
});

describe('the response to a write', () => {
  test.each<[string, StubAnswer, string]>([
    ['409', { status: 409, json: {} }, 'CONFLICT'],
    ['403', { status: 403, json: {} }, 'FORBIDDEN'],
    ['401', { status: 401, json: {} }, 'UNAUTHENTICATED'],
    ['404', { status: 404, json: {} }, 'UPSTREAM_REJECTED'],
    ['400 without a reason', { status: 400, text: '' }, 'UPSTREAM_REJECTED'],
    ['422 with text', { status: 422, text: 'no' }, 'UPSTREAM_REJECTED'],
    ['429', { status: 429, text: '' }, 'NOT_SENT'],
  ])('with status %s is a typed error: nothing was changed', async (_what, answer, code) => {
    const { ask } = await gatewayBefore({
      payments: { ...found, 'POST /transactions/t1/captures': answer },
    });
    const { data, errors } = await ask(CAPTURE);
    expect(errors).toBeUndefined();
    expect(data.captureTransaction).toMatchObject({ __typename: 'RequestError', code });
  });

  test.each<[string, StubAnswer]>([
    ['empty', { status: 201, text: '' }],
    ['of an unknown shape', { status: 200, json: [1, 2] }],
  ])('with status 2xx may be %s, and is confirmed by a read', async (_what, answer) => {
    let reads = 0;
    const { ask } = await gatewayBefore({
      payments: {
        'GET /transactions/t1': (_request, response) => {
          // The first two check access and take the snapshot.
          const capture = { capture: true, amount: 1, created: '2026-01-01' };
          const transaction = { ...TRANSACTION, trail: reads++ < 2 ? [] : [capture] };
          response.end(JSON.stringify({ transaction }));
        },
        'POST /transactions/t1/captures': answer,
      },
    });
    const { data } = await ask(CAPTURE);
    expect(data.captureTransaction).toEqual({
      __typename: 'CaptureTransactionSuccess',
      transaction: { id: 'txn_t1' },
    });
  });

  test('to a capture that came second shows the amount that is still available', async () => {
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
});

test('a rejection is returned when a read confirms it', async () => {
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

describe('the credential', () => {
  const echo: Record<string, StubAnswer> = {
    ...app,
    'GET /transactions/t1': { json: { transaction: TRANSACTION } },
  };

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
