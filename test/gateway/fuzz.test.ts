import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { schema } from '../../src/gateway/schema.ts';
import { flood, type Sent } from '../support/flood.ts';
import { type Stack, startStack } from '../support/start-stack.ts';
import { oddText, randomDocuments } from './support/random-documents.ts';

const isLong = inject('scale') > 1;
/** Most of them are executed, with many calls to the services. */
const REQUESTS = isLong ? 20_000 : 1_000;
/** Most of these are rejected before a call, so there can be more. */
const BROKEN = isLong ? 230_000 : 3_000;
/** Documents of which the broken ones are made. */
const POOL = 500;
/** Made at a time, so that they need little memory. */
const BATCH = 5_000;
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);

let stack: Stack;
let knownIds: string[];
beforeAll(async () => {
  stack = await startStack();
  const { data } = await stack.ask(
    '{ merchants { edges { node { id transactions(first: 3) { edges { node { id } } } } } } }',
  );
  knownIds = JSON.stringify(data).match(/(?:mer|txn)_\w+/g) ?? [];
});
afterAll(() => stack?.close());

const oddJson: fc.Arbitrary<unknown> = fc.oneof(
  fc.json({ maxDepth: 3 }).map((text): unknown => JSON.parse(text)),
  fc.constantFrom<unknown>(null, true, -1, 0, 1.5, 2 ** 53, 1e300, [], {}, [[[[]]]]),
  oddText,
);

function validDocuments(): fc.Arbitrary<string> {
  const query = schema.getQueryType();
  return randomDocuments(knownIds).of(query, query, schema.getMutationType());
}

/** Documents with a few characters removed or inserted. */
function brokenDocuments(valid: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const change = fc.record({
    at: fc.nat(),
    remove: fc.nat(3),
    insert: fc.oneof(
      oddText,
      fc.constantFrom('{', '}', '(', '[', '"', '"""', '...', '$', '@', '#'),
    ),
  });
  return fc.tuple(valid, fc.array(change, { minLength: 1, maxLength: 4 })).map(([text, changes]) =>
    changes.reduce((now, { at, remove, insert }) => {
      const from = at % (now.length + 1);
      return now.slice(0, from) + insert + now.slice(from + remove);
    }, text),
  );
}

function requestsWith(document: fc.Arbitrary<string>): fc.Arbitrary<Sent> {
  const body = fc
    .record({
      query: document,
      variables: fc.oneof(fc.constant(undefined), oddJson),
      operationName: fc.oneof(fc.constant(undefined), oddText),
    })
    .map((all) => JSON.stringify(all));
  const anyBody = fc.oneof(
    { arbitrary: body, weight: 8 },
    { arbitrary: oddJson.map((value) => JSON.stringify(value) ?? ''), weight: 1 },
    { arbitrary: oddText, weight: 1 },
  );
  const key = fc.constantFrom(stack.sandbox.demoApp.key, 'wrong-key');
  return fc.record({
    body: anyBody,
    headers: key.map((each) => ({ authorization: `Bearer ${each}` })),
  });
}

function hostileRequests(): fc.Arbitrary<Sent> {
  const valid = validDocuments();
  return requestsWith(
    fc.oneof(
      { arbitrary: valid, weight: 5 },
      { arbitrary: brokenDocuments(valid), weight: 3 },
      { arbitrary: oddText, weight: 1 },
    ),
  );
}

const ALLOWED = new Set([200, 400, 413, 429, 503]);

/** Sends requests, and checks every response. Returns how many had each status. */
async function sendAll(requests: readonly Sent[]): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  await flood(
    `${stack.url}/graphql`,
    requests.length,
    (index) => requests[index] ?? { body: '' },
    ({ status, text }, index) => {
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      const fail = () => {
        throw new Error(`FUZZ_SEED=${SEED}: ${requests[index]?.body} got ${status} ${text}`);
      };
      if (!ALLOWED.has(status)) fail();
      if (/node_modules|\.ts:\d|\.js:\d|INTERNAL_SERVER_ERROR/.test(text)) fail();
      // A list of operations gets a list of errors.
      for (const { data, errors } of [JSON.parse(text)].flat()) {
        if (data === undefined && !(errors?.length > 0)) fail();
        for (const { message, extensions } of errors ?? []) {
          if (typeof message !== 'string' || typeof extensions?.code !== 'string') fail();
        }
      }
    },
  );
  expect(stack.bugs).toEqual([]);
  return statuses;
}

test(`${REQUESTS} fuzzed requests get a valid answer without internals`, async () => {
  const requests = fc.sample(hostileRequests(), { numRuns: REQUESTS, seed: SEED });
  const statuses = await sendAll(requests);
  // Neither everything nor nothing is valid.
  expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 10);
  expect(statuses.get(400)).toBeGreaterThan(REQUESTS / 50);
});

test(`${BROKEN} broken documents get a valid answer without internals`, async () => {
  const pool = fc.sample(validDocuments(), { numRuns: POOL, seed: SEED });
  const broken = requestsWith(brokenDocuments(fc.constantFrom(...pool)));
  for (let sent = 0; sent < BROKEN; sent += BATCH) {
    const numRuns = Math.min(BATCH, BROKEN - sent);
    const statuses = await sendAll(fc.sample(broken, { numRuns, seed: SEED + sent }));
    expect(statuses.get(400)).toBeGreaterThan(numRuns / 10);
  }
});
