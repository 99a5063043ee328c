import { afterEach, describe, expect, test } from 'vitest';
import type { GatewaySettings } from '../../src/gateway/settings.ts';
import { createMemoryStore } from '../money/support/memory-store.ts';
import { patientGateway, patientStore } from '../support/patience.ts';
import { startGateway } from '../support/start-stack.ts';
import { type StubAnswer, startStubService } from '../support/stub-service.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Upstream = GatewaySettings['upstream'];
const { upstream } = patientGateway;
const resilience: Upstream['resilience'] = {
  ...upstream.resilience,
  retries: 2,
  retryBudget: { ratio: 1, perSecond: 100 },
};
const breaker = { consecutive: 5, ratio: 1, minCalls: 1_000, windowMs: 10_000, openMs: 60_000 };

/** A gateway in front of two scripted services. */
async function gatewayBefore(
  payments: Record<string, StubAnswer>,
  changes: Partial<Upstream> = { resilience },
  settings: Partial<Pick<GatewaySettings, 'deadlineMs' | 'limits' | 'rate'>> = {},
) {
  const me = { 'GET /me': { json: { identity: { id: 'a1' } } } };
  const paymentsStub = await startStubService({ ...me, ...payments });
  const usersStub = await startStubService({ 'GET /users': { json: [{ id: 'u1', name: 'Ada' }] } });
  closers.push(paymentsStub.close, usersStub.close);
  const gateway = await startGateway({
    services: {
      usersUrl: usersStub.url,
      paymentsUrl: paymentsStub.url,
      posUrl: 'http://127.0.0.1:1',
    },
    usersAccess: '*',
    upstream: { ...upstream, ...changes },
    store: createMemoryStore(Date.now, patientStore.leaseMs),
    ...settings,
  });
  closers.push(gateway.close);
  const ask = (query: string, key = 'any-key') => gateway.ask(query, {}, key);
  return { ask, url: gateway.url, payments: paymentsStub, bugs: gateway.bugs };
}

const TRANSACTION = '{ transaction(id: "t1") { rawId } }';
const found = { json: { transaction: { id: 't1' } } };

/** Answers with each script in turn, and with the last one from then on. */
function inTurn(...answers: StubAnswer[]): StubAnswer {
  let count = 0;
  return (request, response) => {
    const answer = answers[Math.min(count++, answers.length - 1)] ?? {};
    if (typeof answer === 'function') return answer(request, response);
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' });
    response.end(answer.text ?? JSON.stringify(answer.json ?? {}));
  };
}

const reset: StubAnswer = (_request, response) => void response.destroy();
const asksToWait =
  (status: number, retryAfter: string): StubAnswer =>
  (_request, response) =>
    void response.writeHead(status, { 'retry-after': retryAfter }).end('{}');

describe('a read', () => {
  test.each<[string, StubAnswer]>([
    ['whose connection breaks', reset],
    ['with status 502', { status: 502 }],
    ['with status 503', { status: 503 }],
    ['with status 504', { status: 504 }],
    ['with status 429 that says when', asksToWait(429, '0')],
  ])('%s is repeated up to twice', async (_what, answer) => {
    const { ask, payments } = await gatewayBefore({
      'GET /transactions/t1': inTurn(answer, answer, found),
    });
    expect((await ask(TRANSACTION)).data.transaction).toEqual({ rawId: 't1' });
    expect(payments.requests).toHaveLength(3);

    const sick = await gatewayBefore({ 'GET /transactions/t1': answer });
    const { errors } = await sick.ask(TRANSACTION);
    expect(errors?.[0]?.extensions).toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' });
    expect(sick.payments.requests).toHaveLength(3);
  });

  test('that does not end in time is repeated', async () => {
    const silent: StubAnswer = () => {};
    const limits = { ...patientGateway.limits, getMs: 300 };
    const { ask, payments } = await gatewayBefore(
      { 'GET /transactions/t1': inTurn(silent, found) },
      { resilience },
      { limits },
    );
    expect((await ask(TRANSACTION)).data.transaction).toEqual({ rawId: 't1' });
    expect(payments.requests).toHaveLength(2);
  });

  test.each<[string, StubAnswer]>([
    ['with status 500', { status: 500 }],
    ['with status 404', { status: 404 }],
    ['with status 429 that does not say when', { status: 429 }],
    ['with status 429 that says no time', asksToWait(429, 'soon')],
    ['that is not JSON', { text: '<html>' }],
    ['that is a redirect', { status: 302 }],
  ])('%s is not repeated', async (_what, answer) => {
    const { ask, payments } = await gatewayBefore({ 'GET /transactions/t1': answer });
    await ask(TRANSACTION);
    expect(payments.requests).toHaveLength(1);
  });

  test('is repeated no earlier than the service asks for', async () => {
    const times: number[] = [];
    const { ask } = await gatewayBefore({
      'GET /transactions/t1': (request, response) => {
        times.push(performance.now());
        const answer = times.length === 1 ? asksToWait(503, '1') : inTurn(found);
        if (typeof answer === 'function') answer(request, response);
      },
    });
    expect((await ask(TRANSACTION)).errors).toBeUndefined();
    const [first = 0, second = 0] = times;
    expect(second - first).toBeGreaterThanOrEqual(1_000);
  });

  test('fails at once if the service asks for more time than there is', async () => {
    const { ask, payments } = await gatewayBefore({
      'GET /transactions/t1': asksToWait(503, '1000'),
    });
    const { errors } = await ask(TRANSACTION);
    expect(errors?.[0]?.extensions).toEqual({
      code: 'UPSTREAM_UNAVAILABLE',
      service: 'payments',
      retryAfterMs: 1_000_000,
    });
    expect(payments.requests).toHaveLength(1);
  });

  test('is not repeated when the budget is used up', async () => {
    const small = { ...resilience, retryBudget: { ratio: 0, perSecond: 0 } };
    const { ask, payments } = await gatewayBefore(
      { 'GET /transactions/t1': reset },
      { resilience: small },
    );
    await ask(TRANSACTION);
    expect(payments.requests).toHaveLength(1);
  });
});

const writes: [name: string, call: string, mutation: string][] = [
  ['a new app', 'POST /apps', 'createApp(input: {})'],
  [
    'a change of a merchant',
    'PUT /merchants/m1',
    'updateMerchant(input: { merchantId: "m1", name: "x" })',
  ],
  [
    'a new member',
    'POST /merchants/m1/users',
    'inviteMerchantMember(input: { merchantId: "m1", email: "a@example.com" })',
  ],
  [
    'a revoked app',
    'DELETE /merchants/m1/apps/a2',
    'revokeMerchantApp(input: { merchantId: "m1", appId: "a2" })',
  ],
];

describe.each(writes)('%s', (_name, call, mutation) => {
  test.each<[string, StubAnswer, number]>([
    ['whose connection breaks', reset, 1],
    ['with status 500', { status: 500 }, 1],
    ['with status 502', { status: 502 }, 1],
    ['with status 503 that says when', asksToWait(503, '0'), 1],
    ['with status 429 that says when', asksToWait(429, '0'), 1],
    ['that is a redirect', { status: 307 }, 1],
    ['with status 400', { status: 400 }, 1],
  ])('%s is sent once', async (_what, answer, count) => {
    const { ask, payments } = await gatewayBefore({ [call]: answer });
    const { errors } = await ask(`mutation { ${mutation} { __typename } }`);
    expect(errors?.[0]?.extensions.code).not.toBe('GRAPHQL_VALIDATION_FAILED');
    expect(payments.requests.filter((request) => request === call)).toHaveLength(count);
  });
});

describe('a service that fails', () => {
  const sick = { 'GET /transactions/t1': reset, 'POST /apps': { json: { app: {} } } };
  const capture = `mutation { captureTransaction(input: { transactionId: "t1",
    amount: { minorUnits: 1, currency: "EUR" }, idempotencyKey: "k" }) {
    ... on MutationError { code } } }`;

  test('is not called any more, and the other service is', async () => {
    const { ask, payments, url } = await gatewayBefore(sick, {
      resilience: { ...upstream.resilience, breaker },
    });
    await ask('{ users { edges { cursor } } }');
    payments.requests.length = 0;
    for (let count = 0; count < 5; count++) await ask(TRANSACTION);
    expect(payments.requests).toHaveLength(5);
    const { data, errors } = await ask(
      '{ transaction(id: "t1") { rawId } users { edges { node { name } } } }',
    );
    expect(data).toEqual({ transaction: null, users: { edges: [{ node: { name: 'Ada' } }] } });
    expect(errors?.[0]?.extensions).toEqual({
      code: 'UPSTREAM_UNAVAILABLE',
      service: 'payments',
      retryAfterMs: expect.any(Number),
    });
    const write = await ask(
      'mutation { createApp(input: {}) { ... on MutationError { code message } } }',
    );
    expect(write.data.createApp).toEqual({
      code: 'UPSTREAM_UNAVAILABLE',
      message: 'The payments service is not available. Nothing was sent. Try again later.',
    });
    expect((await ask(capture)).data.captureTransaction).toEqual({ code: 'NOT_SENT' });
    expect(payments.requests).toHaveLength(5);
    const ready = await fetch(`${url}/ready`);
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { status: 'ready', payments: 'degraded', users: 'ok', money: 'ok' },
    ]);
  });

  const isCalled = async (ask: (query: string) => Promise<{ data: unknown }>) =>
    expect((await ask('{ viewer { rawId } }')).data).toEqual({ viewer: { rawId: 'a1' } });

  test('is still called after responses that cannot be used', async () => {
    const { ask } = await gatewayBefore(
      { 'GET /transactions/t1': { text: '<html>' }, 'GET /transactions/t2': { status: 500 } },
      { resilience: { ...upstream.resilience, breaker } },
    );
    for (let count = 0; count < 10; count++) {
      await ask(TRANSACTION);
      await ask('{ transaction(id: "t2") { rawId } }');
    }
    await isCalled(ask);
  });

  test('is still called after any number of responses that are too large', async () => {
    const large = { text: `{"id":"t1","custom":"${'x'.repeat(5_000)}"}` };
    const often = { ...breaker, ratio: 0.5, minCalls: 2 };
    const { ask } = await gatewayBefore(
      { 'GET /transactions/t1': large },
      { resilience: { ...upstream.resilience, breaker: often } },
      { limits: { ...patientGateway.limits, maxBytes: 4_000 } },
    );
    for (let count = 0; count < 10; count++) await ask(TRANSACTION);
    await isCalled(ask);
  });

  test('is still called while writes hang, which may be those of one merchant', async () => {
    const { ask } = await gatewayBefore(
      { 'POST /apps': () => {} },
      { resilience: { ...upstream.resilience, breaker } },
      { limits: { ...patientGateway.limits, writeMs: 300 } },
    );
    const hanging = Array.from({ length: 8 }, () =>
      ask('mutation { createApp(input: {}) { __typename } }'),
    );
    for (const { errors } of await Promise.all(hanging)) {
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'UPSTREAM_TIMEOUT' });
    }
    await isCalled(ask);
  });

  test('is called again although clients only write', async () => {
    let works = false;
    const { ask, payments } = await gatewayBefore(
      {
        'PUT /merchants/m1': (request, response) => {
          const answer = works ? inTurn({ json: {} }) : reset;
          if (typeof answer === 'function') answer(request, response);
        },
      },
      { resilience: { ...upstream.resilience, breaker: { ...breaker, openMs: 100 } } },
    );
    const change = async () => {
      const input = '{ merchantId: "m1", name: "x" }';
      const { data } = await ask(`mutation { updateMerchant(input: ${input}) { __typename } }`);
      return data.updateMerchant?.__typename;
    };
    for (let count = 0; count < 5; count++) await change();
    works = true;
    await expect.poll(change).toBe('UpdateMerchantSuccess');
    expect(payments.requests).toContain('GET /');
  });

  test('is called once after a pause, and then as before if it works', async () => {
    let works = false;
    const { ask, payments } = await gatewayBefore(
      {
        'GET /transactions/t1': (request, response) => {
          const answer = inTurn(works ? found : reset);
          if (typeof answer === 'function') answer(request, response);
        },
      },
      { resilience: { ...upstream.resilience, breaker: { ...breaker, openMs: 200 } } },
    );
    for (let count = 0; count < 5; count++) await ask(TRANSACTION);
    works = true;
    // The gateway says how long it makes no call.
    for (;;) {
      const { errors } = await ask(TRANSACTION);
      if (errors === undefined) break;
      const { retryAfterMs } = errors[0]?.extensions ?? {};
      await new Promise((resolve) => setTimeout(resolve, Number(retryAfterMs)));
    }
    expect(payments.requests).toHaveLength(6);
  });
});

describe('one request', () => {
  const ids = Array.from({ length: 20 }, (_, index) => `t${index}`);
  const answers = Object.fromEntries(
    ids.map((id) => [`GET /transactions/${id}`, { json: { transaction: { id } } }]),
  );
  const query = `{ ${ids.map((id) => `${id}: transaction(id: "${id}") { rawId }`).join(' ')} }`;
  const codesOf = (errors: readonly { extensions: { code?: unknown } }[] = []) =>
    errors.map(({ extensions }) => extensions.code);

  test('makes so many calls at most; the fields that are left fail', async () => {
    const { ask, payments } = await gatewayBefore(answers, {
      allowance: { maxCalls: 12, maxBytes: 1 << 20 },
    });
    const { data, errors } = await ask(query);
    expect(codesOf(errors)).toEqual(Array(8).fill('UPSTREAM_CALL_LIMIT'));
    expect(Object.values(data).filter((each) => each !== null)).toHaveLength(12);
    expect(payments.requests).toHaveLength(12);
    expect((await ask(TRANSACTION)).errors).toBeUndefined();
  });

  test('reads so many bytes at most', async () => {
    const long = Object.fromEntries(
      Object.keys(answers).map((call) => [
        call,
        { text: `{"id":"t1","custom":"${'x'.repeat(1_000)}"}` },
      ]),
    );
    const { ask } = await gatewayBefore(long, { allowance: { maxCalls: 100, maxBytes: 5_500 } });
    const { data, errors } = await ask(query);
    expect(Object.values(data).filter((each) => each !== null).length).toBeLessThanOrEqual(5);
    expect(new Set(codesOf(errors))).toEqual(new Set(['UPSTREAM_CALL_LIMIT']));
  });

  test('has one deadline: reads are aborted, and what has not begun is not sent', async () => {
    const silent: StubAnswer = () => {};
    const { ask, payments } = await gatewayBefore(
      { 'GET /transactions/t1': silent, 'PUT /merchants/m1': silent },
      { resilience },
      { deadlineMs: 500, limits: { ...patientGateway.limits, writeMs: 700 } },
    );
    const { errors } = await ask(TRANSACTION);
    expect(codesOf(errors)).toEqual(['UPSTREAM_TIMEOUT']);
    expect(payments.requests).toHaveLength(1);

    const { data } = await ask(`mutation {
      a: updateMerchant(input: { merchantId: "m1", name: "x" }) { __typename }
      b: createApp(input: {}) { ... on MutationError { code message } } }`);
    expect(data).toEqual({
      a: null,
      b: {
        code: 'UPSTREAM_UNAVAILABLE',
        message:
          'Nothing was sent. The time limit of the request has passed. Request less at once, or try again.',
      },
    });
    expect(payments.requests.slice(1)).toEqual(['PUT /merchants/m1']);
  });

  test('is named to the services, with the time that is left', async () => {
    const { url, payments } = await gatewayBefore({ 'GET /transactions/t1': found });
    const send = (headers: Record<string, string>) =>
      fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer k', ...headers },
        body: JSON.stringify({ query: TRANSACTION }),
      });
    await send({ 'x-request-id': 'from-client_1' });
    await send({ 'x-request-id': 'a b' });
    await send({});
    const [own, replaced, created] = payments.headers.map((each) => each['x-request-id']);
    expect(own).toBe('from-client_1');
    for (const id of [replaced, created]) expect(id).toMatch(/^[0-9a-f-]{36}$/);
    for (const each of payments.headers) {
      expect(Number(each['x-request-deadline-ms'])).toBeGreaterThan(0);
    }
  });
});

test('while the reads of one app hang, those of another one are answered', async () => {
  const held: (() => void)[] = [];
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const { ask, payments } = await gatewayBefore(
    {
      'GET /transactions/t1': (_request, response) => {
        held.push(() => response.end('{"transaction":{"id":"t1"}}'));
        if (held.length === 4) arrive();
      },
      'GET /transactions/t2': { json: { transaction: { id: 't2' } } },
    },
    { connections: { ...upstream.connections, reads: 8, queue: 3 } },
  );
  const hanging = Array.from({ length: 8 }, () => ask(TRANSACTION));
  await arrived;
  const other = await ask('{ transaction(id: "t2") { rawId } }', 'another-key');
  expect(other.data.transaction).toEqual({ rawId: 't2' });
  expect(payments.requests.filter((request) => request.endsWith('t1'))).toHaveLength(4);
  // Two of the same app wait, and the others do not: it has half of the queue.
  const [first] = await Promise.race([Promise.all([Promise.any(hanging)])]);
  expect(first?.errors?.[0]?.extensions).toMatchObject({ code: 'OVERLOADED' });
  while (held.length > 0) held.shift()?.();
  const timer = setInterval(() => held.shift()?.(), 1);
  const answers = await Promise.all(hanging);
  clearInterval(timer);
  expect(answers.filter(({ errors }) => errors === undefined)).toHaveLength(6);
});

test('a rejected key is remembered: further requests with it make no call', async () => {
  const { ask, payments } = await gatewayBefore({
    'GET /transactions/t1': { status: 401 },
    'GET /transactions/t2': { json: { transaction: { id: 't2' } } },
  });
  for (let count = 0; count < 10; count++) {
    const { errors } = await ask(`{ transaction(id: "t${(count % 5) + 1}") { rawId } }`, 'wrong');
    expect(errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
  }
  expect(payments.requests).toHaveLength(1);
  expect((await ask('{ transaction(id: "t2") { rawId } }', 'right')).errors).toBeUndefined();
});

test('clients without a valid key create so many apps in a minute; those with one create more', async () => {
  const { url, payments, ask } = await gatewayBefore(
    {
      'POST /apps': { json: { app: { id: 'a2', key: 'k' } } },
      'GET /me': (request, response) => {
        const isValid = request.headers.authorization === `Basic ${btoa(':valid')}`;
        response.statusCode = isValid ? 200 : 401;
        response.end('{"identity":{"id":"a1"}}');
      },
    },
    {},
    { rate: { pointsPerMinute: 0, keylessPerMinute: 3 } },
  );
  const create = '... on CreateAppSuccess { key } ... on MutationError { code message }';
  const aliases = Array.from(
    { length: 20 },
    (_, at) => `a${at}: createApp(input: {}) { ${create} }`,
  );
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: `mutation { ${aliases.join(' ')} }` }),
  });
  const results = Object.values((await response.json()).data);
  expect(results.slice(0, 3)).toEqual(Array(3).fill({ key: 'k' }));
  expect(results.slice(3)).toEqual(
    Array(17).fill({
      code: 'RATE_LIMITED',
      message: expect.stringMatching(/Nothing was done\. Try again in \d+ seconds\.$/),
    }),
  );
  expect(payments.requests).toHaveLength(3);
  const one = `mutation { createApp(input: {}) { ${create} } }`;
  for (const invented of ['invented-1', 'invented-2']) {
    expect((await ask(one, invented)).data.createApp).toMatchObject({ code: 'RATE_LIMITED' });
  }
  expect((await ask(one, 'valid')).data.createApp).toEqual({ key: 'k' });
});

test('an app that requests too much in a minute gets the status 429, and others do not', async () => {
  const { url, payments } = await gatewayBefore(
    { 'GET /transactions/t1': found },
    {},
    { rate: { pointsPerMinute: 5, keylessPerMinute: 0 } },
  );
  const send = (key: string) =>
    fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ query: TRANSACTION }),
    });
  const answers = [];
  for (let count = 0; count < 20; count++) answers.push(await send('greedy'));
  const late = answers.findIndex(({ status }) => status === 429);
  expect(late).toBeGreaterThan(0);
  expect(payments.requests).toHaveLength(late);
  const last = await send('greedy');
  expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await last.json()).errors).toMatchObject([
    { extensions: { code: 'RATE_LIMITED', retryAfterMs: expect.any(Number) } },
  ]);
  expect((await send('another')).status).toBe(200);
});
