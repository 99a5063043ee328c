import fc from 'fast-check';
import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  isAbstractType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { schema } from '../../src/gateway/schema.ts';
import { flood, type Sent } from '../support/flood.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

/** Most of them are executed, with many calls to the services. */
const REQUESTS = 2_000 * inject('scale');
/** Most of these are rejected before a call, so there can be more: 20,000 together, or 250,000. */
const BROKEN = inject('scale') === 1 ? 18_000 : 230_000;
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

/** Texts that break what does not expect them. */
const oddText = fc.oneof(
  fc.constantFrom('', '.', '..', '../me', '%2e%2e', 'a?x', 'a#b', '__proto__', 'constructor'),
  fc.constantFrom('\u0000', '\r\nx: y', '\ud800', '𝒳', 'x'.repeat(5_000), '\u202e', "'; --"),
  fc.string({ maxLength: 30 }),
);
const oddJson: fc.Arbitrary<unknown> = fc.oneof(
  fc.json({ maxDepth: 3 }).map((text): unknown => JSON.parse(text)),
  fc.constantFrom<unknown>(null, true, -1, 0, 1.5, 2 ** 53, 1e300, [], {}, [[[[]]]]),
  oddText,
);

/** A value for an argument: valid most of the time. */
function anyValue(type: GraphQLInputType, depth: number): fc.Arbitrary<string> {
  if (isNonNullType(type)) return anyValue(type.ofType, depth);
  if (isListType(type)) {
    return fc.array(anyValue(type.ofType, depth), { maxLength: 3 }).map((all) => `[${all}]`);
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).map((field) =>
      anyValue(field.type, depth + 1).map((value) => `${field.name}: ${value}`),
    );
    return fc.tuple(...fields).map((all) => `{ ${all.join(' ')} }`);
  }
  if ('getValues' in type) {
    return fc.constantFrom(...type.getValues().map(({ name }) => name), 'NO_SUCH_VALUE');
  }
  const text = oddText.map((each) => JSON.stringify(each));
  switch (type.name) {
    case 'Int':
      return fc.oneof(fc.integer({ min: -5, max: 150 }), fc.integer()).map(String);
    case 'Boolean':
      return fc.boolean().map(String);
    case 'ID':
      return fc.oneof(
        fc.nat(knownIds.length - 1).map((at) => `"${knownIds[at]}"`),
        text,
      );
    default:
      return fc.oneof(text, fc.integer().map(String));
  }
}

function fieldOf(field: GraphQLField<unknown, unknown>, depth: number): fc.Arbitrary<string> {
  const required = field.args.map((arg) => {
    const value = anyValue(arg.type, 0).map((each) => `${arg.name}: ${each}`);
    return isNonNullType(arg.type) ? value : fc.oneof(fc.constant(''), value);
  });
  return fc
    .tuple(
      fc.constantFrom('', '', 'a: ', 'b: '),
      fc.tuple(...required),
      selectionOf(field.type, depth),
    )
    .map(([alias, args, selection]) => {
      const given = args.filter((arg) => arg !== '').join(' ');
      return `${alias}${field.name}${given && `(${given})`}${selection}`;
    });
}

function selectionOf(type: GraphQLOutputType, depth: number): fc.Arbitrary<string> {
  const named = getNamedType(type);
  if (isLeafType(named)) return fc.constant('');
  const typename = fc.constant('{ __typename }');
  if (depth > 5) return typename;
  if (isAbstractType(named)) {
    return fc
      .constantFrom(...schema.getPossibleTypes(named))
      .chain((possible) =>
        selectionOf(possible, depth + 1).map((inner) => `{ ... on ${possible.name} ${inner} }`),
      );
  }
  if (!isObjectType(named)) return typename;
  const fields = Object.values(named.getFields());
  return fc
    .array(fc.constantFrom(...fields), { minLength: 1, maxLength: 3 })
    .chain((some) => fc.tuple(...some.map((field) => fieldOf(field, depth + 1))))
    .map((all) => `{ ${all.join(' ')} }`);
}

function validDocuments(): fc.Arbitrary<string> {
  const root = fc.constantFrom(
    schema.getQueryType(),
    schema.getQueryType(),
    schema.getMutationType(),
  );
  return root.chain((type) => {
    if (!type) throw new Error('The schema has no such type.');
    const kind = type === schema.getMutationType() ? 'mutation' : 'query';
    return selectionOf(type, 0).map((selection) => `${kind} ${selection}`);
  });
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
      const { data, errors } = JSON.parse(text);
      if (data === undefined && !(errors?.length > 0)) fail();
      for (const { message, extensions } of errors ?? []) {
        if (typeof message !== 'string' || typeof extensions?.code !== 'string') fail();
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
