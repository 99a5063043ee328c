import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import { patientGateway } from '../support/patience.ts';
import { found, gatewayBefore, TRANSACTION } from './support/before-services.ts';

const { upstream } = patientGateway;

// One app must not take what others need.

test('while the reads of one app hang, those of another one are answered', async () => {
  const held: (() => void)[] = [];
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const { ask, payments } = await gatewayBefore(
    {
      ...Object.fromEntries(
        Array.from({ length: 8 }, (_, at) => [
          `GET /transactions/a${at}`,
          (_request: unknown, response: ServerResponse) => {
            held.push(() => response.end(`{"transaction":{"id":"a${at}"}}`));
            if (held.length === 4) arrive();
          },
        ]),
      ),
      'GET /transactions/t2': { json: { transaction: { id: 't2' } } },
    },
    { connections: { ...upstream.connections, reads: 8, queue: 3 } },
  );
  const hanging = Array.from({ length: 8 }, (_, at) =>
    ask(`{ transaction(id: "a${at}") { rawId } }`),
  );
  await arrived;
  const other = await ask('{ transaction(id: "t2") { rawId } }', 'another-key');
  expect(other.data.transaction).toEqual({ rawId: 't2' });
  expect(payments.requests.filter((request) => !request.endsWith('t2'))).toHaveLength(4);
  // Two of the same app wait, and the other two do not: it has half of the queue.
  const codes: unknown[] = [];
  for (const one of hanging) {
    void one.then(({ errors }) => codes.push(errors?.[0]?.extensions.code));
  }
  await expect.poll(() => codes).toEqual(['OVERLOADED', 'OVERLOADED']);
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

test('clients without a valid key create a limited number of apps in a minute; those with one create more', async () => {
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
