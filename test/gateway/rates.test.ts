import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stack, startGateway, startStack } from '../support/start-stack.ts';

const PER_MINUTE = 1_000;
const QUERY = '{ merchants(first: 1) { edges { node { name } } } }';

let stack: Stack;
let limited: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  stack = await startStack();
  const { usersUrl, paymentsUrl, posUrl } = stack.sandbox;
  limited = await startGateway({
    services: { usersUrl, paymentsUrl, posUrl },
    rate: { pointsPerMinute: PER_MINUTE, isShared: false, keylessPerMinute: 0 },
  });
});
afterAll(async () => {
  await limited.close();
  await stack.close();
});

function send(url: string, query: string, headers: Record<string, string> = {}) {
  return fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${stack.sandbox.demoApp.key}`,
      ...headers,
    },
    body: JSON.stringify({ query }),
  });
}

/** The parameters of a `RateLimit` header. */
function read(header: string | null): Record<string, number> {
  const [name, ...parameters] = (header ?? '').split(';');
  expect(name).toBe('"points"');
  return Object.fromEntries(
    parameters.map((parameter) => {
      const [key = '', value] = parameter.split('=');
      return [key, Number(value)];
    }),
  );
}

test('the header `graphql-cost` adds what a request cost, and changes nothing else', async () => {
  const plain = await (await send(stack.url, QUERY)).json();
  for (const accept of ['*/*', 'application/graphql-response+json']) {
    const costly = await (
      await send(stack.url, QUERY, { 'graphql-cost': 'include', accept })
    ).json();
    expect(costly).toEqual({
      ...plain,
      extensions: { cost: { complexity: expect.any(Number), upstreamCalls: expect.any(Number) } },
    });
    expect(costly.extensions.cost.complexity).toBeGreaterThanOrEqual(1);
    expect(costly.extensions.cost.upstreamCalls).toBeGreaterThanOrEqual(2);
  }
  const failed = await (await send(stack.url, '{ nothing }', { 'graphql-cost': 'include' })).json();
  expect(failed.extensions).toBeUndefined();
});

test('without a limit there are no headers of one', async () => {
  const { headers } = await send(stack.url, QUERY);
  expect([headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([null, null]);
});

test.each([
  ['on the short path', {}],
  ['on the other path', { 'graphql-cost': 'include' }],
])('headers say what is left, %s', async (_path, headers: Record<string, string>) => {
  const authorization = `Bearer key-${_path.length}`;
  const start = performance.now();
  const first = await send(limited.url, QUERY, { ...headers, authorization });
  expect(first.headers.get('ratelimit-policy')).toBe(`"points";q=${PER_MINUTE};w=60`);
  const { r: left = 0, t: seconds = 0 } = read(first.headers.get('ratelimit'));
  const cost = PER_MINUTE - left;
  expect(cost).toBeGreaterThanOrEqual(1);
  expect(seconds).toBe(Math.ceil((cost * 60) / PER_MINUTE));
  const second = read(
    (await send(limited.url, QUERY, { ...headers, authorization })).headers.get('ratelimit'),
  );
  // Some may have been earned meanwhile, and parts are not shown.
  const earned = 2 + Math.ceil(((performance.now() - start) * PER_MINUTE) / 60_000);
  expect(second.r).toBeLessThanOrEqual(left - cost + earned);
  expect(second.r).toBeGreaterThanOrEqual(left - cost);
});

test('a request for more than is left says when to repeat it', async () => {
  const authorization = 'Bearer key-that-uses-all';
  const large =
    '{ merchants(first: 100) { edges { node { name transactions(first: 9) { edges { node { id } } } } } } }';
  const statuses: number[] = [];
  for (let count = 0; count < 3; count++) {
    const response = await send(limited.url, large, { authorization });
    statuses.push(response.status);
    if (response.status !== 429) continue;
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(read(response.headers.get('ratelimit')).r).toBeLessThan(PER_MINUTE);
  }
  expect(statuses.at(-1)).toBe(429);
});
