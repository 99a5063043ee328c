import { describe, expect, test } from 'vitest';
import { patientGateway } from '../support/patience.ts';
import type { StubAnswer } from '../support/stub-service.ts';
import { found, gatewayBefore, repeating, TRANSACTION } from './support/before-services.ts';

describe('one request', () => {
  const ids = Array.from({ length: 20 }, (_, index) => `t${index}`);
  const answers = Object.fromEntries(
    ids.map((id) => [`GET /transactions/${id}`, { json: { transaction: { id } } }]),
  );
  const query = `{ ${ids.map((id) => `${id}: transaction(id: "${id}") { rawId }`).join(' ')} }`;
  const codesOf = (errors: readonly { extensions: { code?: unknown } }[] = []) =>
    errors.map(({ extensions }) => extensions.code);

  test('makes no more calls than the limit; the fields that are left fail', async () => {
    const { ask, payments } = await gatewayBefore(answers, {
      allowance: { maxCalls: 12, maxBytes: 1 << 20 },
    });
    const { data, errors } = await ask(query);
    expect(codesOf(errors)).toEqual(Array(8).fill('UPSTREAM_CALL_LIMIT'));
    expect(Object.values(data).filter((each) => each !== null)).toHaveLength(12);
    expect(payments.requests).toHaveLength(12);
    expect((await ask(TRANSACTION)).errors).toBeUndefined();
  });

  test('reads no more bytes than the limit', async () => {
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
      { resilience: repeating },
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
