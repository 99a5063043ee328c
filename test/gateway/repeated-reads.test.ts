import { describe, expect, test } from 'vitest';
import { patientGateway } from '../support/patience.ts';
import type { StubAnswer } from '../support/stub-service.ts';
import {
  asksToWait,
  found,
  gatewayBefore,
  inTurn,
  repeating,
  reset,
  TRANSACTION,
} from './support/before-services.ts';

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
      { resilience: repeating },
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
    const small = { ...repeating, retryBudget: { ratio: 0, perSecond: 0 } };
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
