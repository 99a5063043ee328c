import { describe, expect, test } from 'vitest';
import { patientGateway } from '../support/patience.ts';
import { fastSync } from '../support/start-stack.ts';
import { type StubAnswer, writeAnswer } from '../support/stub-service.ts';
import { openTestReplica } from '../support/test-replica.ts';
import { found, gatewayBefore, inTurn, reset, TRANSACTION } from './support/before-services.ts';

const { upstream } = patientGateway;
const breaker = { consecutive: 5, ratio: 1, minCalls: 1_000, windowMs: 10_000, openMs: 60_000 };

const STOPPED =
  'The payments service is not available. After failed calls, the gateway does not call it for a few seconds.';

const CHANGE = 'mutation { updateMerchant(input: { merchantId: "m1", name: "x" }) { __typename } }';

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
    expect(errors?.[0]).toMatchObject({
      message: STOPPED,
      extensions: {
        code: 'UPSTREAM_UNAVAILABLE',
        service: 'payments',
        retryAfterMs: expect.any(Number),
      },
    });
    const write = await ask(
      'mutation { createApp(input: {}) { ... on MutationError { code message } } }',
    );
    expect(write.data.createApp).toEqual({
      code: 'UPSTREAM_UNAVAILABLE',
      message: `${STOPPED} Nothing was sent. Try again later.`,
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

  test('is still called by clients while a list fails that only sync reads', async () => {
    const replica = await openTestReplica('any-key');
    const { ask, payments } = await gatewayBefore(
      {
        'GET /me': { json: { identity: { id: 'a1' } } },
        'GET /identities/a1/merchants': { json: { merchants: [{ id: 'm1' }] } },
        'GET /merchants/m1/lines': reset,
      },
      { resilience: { ...upstream.resilience, breaker: { ...breaker, consecutive: 1 } } },
      { replica, sync: fastSync },
    );
    const failures = () => payments.requests.filter((request) => request.includes('/lines')).length;
    await expect
      .poll(
        async () => {
          await replica.store.forgetAll();
          return failures();
        },
        { timeout: 60_000 },
      )
      .toBeGreaterThan(0);
    await isCalled(ask);
  });

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

  test('is not called again while it answers everything with 500', async () => {
    let answer: StubAnswer = reset;
    const current: StubAnswer = (request, response) => writeAnswer(answer, request, response);
    const { ask, payments, url } = await gatewayBefore(
      { 'GET /transactions/t1': current, 'PUT /merchants/m1': current, 'GET /': current },
      { resilience: { ...upstream.resilience, breaker: { ...breaker, openMs: 50 } } },
    );
    const state = async () => (await (await fetch(`${url}/ready`)).json()).payments;
    const readUntilCalled = async (count: number) => {
      while (payments.requests.length < count) await ask(TRANSACTION);
    };
    await readUntilCalled(5);
    answer = { status: 500, json: {} };
    await readUntilCalled(8);
    expect(await state()).toBe('degraded');
    while (!payments.requests.includes('GET /')) await ask(CHANGE);
    expect(await state()).toBe('degraded');
    expect(payments.requests).not.toContain('PUT /merchants/m1');
    answer = found;
    await expect.poll(async () => (await ask(TRANSACTION)).data.transaction).not.toBeNull();
    expect(await state()).toBe('ok');
  });

  test.each([
    ['nothing', { status: 404, text: 'nothing here' }],
    ['a page', { text: '<html>' }],
    ['a redirect', { status: 302, text: '' }],
  ])('is called again although clients only write, and %s is at its path /', async (_, root) => {
    let works = false;
    const { ask, payments } = await gatewayBefore(
      {
        'GET /': root,
        'PUT /merchants/m1': (request, response) => {
          const answer = works ? inTurn({ json: {} }) : reset;
          if (typeof answer === 'function') answer(request, response);
        },
      },
      { resilience: { ...upstream.resilience, breaker: { ...breaker, openMs: 100 } } },
    );
    const change = async () => (await ask(CHANGE)).data.updateMerchant?.__typename;
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
