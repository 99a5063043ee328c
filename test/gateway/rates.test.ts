import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Stack, startGateway, startStack } from '../support/start-stack.ts';

const PER_MINUTE = 1_000;
const QUERY = '{ merchants(first: 1) { edges { node { name } } } }';
const LARGE =
  '{ merchants(first: 100) { edges { node { name transactions(first: 9) { edges { node { id } } } } } } }';

let stack: Stack;
let limited: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  stack = await startStack();
  const { usersUrl, paymentsUrl, posUrl } = stack.sandbox;
  limited = await startGateway({
    services: { usersUrl, paymentsUrl, posUrl },
    rate: { pointsPerMinute: PER_MINUTE, keylessPerMinute: 0 },
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

/** The header with the key of a new app. */
async function newKey(): Promise<string> {
  const create = 'mutation { createApp(input: {}) { ... on CreateAppSuccess { key } } }';
  return `Bearer ${(await stack.ask(create)).data.createApp.key}`;
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
  // The service accepts one of the keys, so its caller is known from the second request on.
  for (const authorization of [await newKey(), `Bearer invented-${Object.keys(headers)}`]) {
    const sendOne = () => send(limited.url, QUERY, { ...headers, authorization });
    const first = await sendOne();
    expect(first.headers.get('ratelimit-policy')).toBe(`"points";q=${PER_MINUTE};w=60`);
    const { r: left = 0, t: seconds = 0 } = read(first.headers.get('ratelimit'));
    const cost = PER_MINUTE - left;
    expect(cost).toBeGreaterThanOrEqual(1);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    for (const count of [2, 3]) {
      const { r, t } = read((await sendOne()).headers.get('ratelimit'));
      expect(r).toBe(PER_MINUTE - count * cost);
      expect(t).toBeLessThanOrEqual(60);
    }
  }
});

test('a request for more than is left says when to repeat it, and others are refused until then', async () => {
  const authorization = await newKey();
  const statuses: number[] = [];
  for (let count = 0; count < 3; count++) {
    const response = await send(limited.url, LARGE, { authorization });
    statuses.push(response.status);
    if (response.status !== 429) continue;
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    const retryAfter = Number(response.headers.get('retry-after'));
    expect(read(response.headers.get('ratelimit'))).toEqual({ r: 0, t: retryAfter });
  }
  expect(statuses.at(-1)).toBe(429);
  const calls = stack.calls.length;
  for (const query of ['{ currencies { code } }', '{ nothing }', '{']) {
    const refused = await send(limited.url, query, { authorization });
    expect(refused.status).toBe(429);
    expect((await refused.json()).errors).toMatchObject([
      { extensions: { code: 'RATE_LIMITED', retryAfterMs: expect.any(Number) } },
    ]);
  }
  expect(stack.calls.slice(calls)).toEqual([]);
  expect((await send(limited.url, QUERY, { authorization: await newKey() })).status).toBe(200);
});

test('invented keys free nobody from the limit, and take nothing from a caller whose key is valid', async () => {
  const [greedy, modest] = [await newKey(), await newKey()];
  const left = async (authorization: string) =>
    read((await send(limited.url, QUERY, { authorization })).headers.get('ratelimit')).r;
  const before = await left(modest);
  while ((await send(limited.url, LARGE, { authorization: greedy })).status !== 429);
  await Promise.all(Array.from({ length: 200 }, (_, at) => left(`Bearer invented-${at}`)));
  expect(await left(greedy)).toBe(0);
  const cost = PER_MINUTE - (before ?? 0);
  expect(await left(modest)).toBe(PER_MINUTE - 2 * cost);
});
