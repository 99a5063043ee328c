import fc from 'fast-check';
import { isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { schema } from '../../src/gateway/schema.ts';
import { createRandom } from '../money/simulation/random.ts';
import { comparableErrors } from '../support/comparable.ts';
import { given } from '../support/given.ts';
import { type Stack, startStack } from '../support/start-stack.ts';
import { found, gatewayBefore } from './support/before-services.ts';
import { createEngines, type EngineRequest, type Engines } from './support/engines.ts';
import { randomDocuments } from './support/random-documents.ts';
import { varyDocument } from './support/vary-document.ts';

/** Each of them is also written in three other ways. */
const DOCUMENTS = inject('scale') === 1 ? 150 : 500 * inject('scale');
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);

let stack: Stack;
let engines: Engines;
let merchant: string;
let transaction: string;
beforeAll(async () => {
  stack = await startStack();
  engines = startEngines();
  merchant = (await given(stack).merchant()).id;
  transaction = await given(stack).transaction();
});
afterAll(async () => {
  expect(engines?.bugs).toEqual([]);
  await engines?.close();
  await stack?.close();
});

function startEngines(...spoil: Parameters<typeof createEngines>[1][]): Engines {
  const { usersUrl, paymentsUrl, posUrl, demoApp } = stack.sandbox;
  return createEngines({ usersUrl, paymentsUrl, posUrl, key: demoApp.key }, ...spoil);
}

/** Uses an operation until it is compiled, if it ever is. */
async function compile(of: Engines, request: EngineRequest): Promise<boolean> {
  for (let count = 0; count < 2; count++) of.hasPlan(request);
  await new Promise((resolve) => setImmediate(resolve));
  return of.hasPlan(request);
}

/** A response without errors as it is, so that every byte counts. */
function comparable(response: string): string {
  const { errors, ...rest } = JSON.parse(response);
  return errors === undefined
    ? response
    : JSON.stringify({ errors: comparableErrors(rest.data, errors), ...rest });
}

/** Compares both engines after all reads have been made once. Returns whether there is a plan. */
async function compare(of: Engines, request: EngineRequest): Promise<boolean> {
  await of.interpret(request);
  const expected = comparable(await of.interpret(request));
  const isCompiled = await compile(of, request);
  const context = () => `FUZZ_SEED=${SEED}: ${JSON.stringify(request)}`;
  expect(comparable(await of.compile(request)), context()).toBe(expected);
  return isCompiled;
}

test(`${4 * DOCUMENTS} generated documents have the same response from both engines`, async () => {
  // `asOf` is the time, which would pass between the two responses.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  onTestFinished(() => void vi.useRealTimers());
  const { data } = await stack.ask(
    '{ merchants { edges { node { id transactions(first: 3) { edges { node { id } } } } } } }',
  );
  const knownIds = JSON.stringify(data).match(/(?:mer|txn)_\w+/g) ?? [];
  const documents = randomDocuments(knownIds).of(schema.getQueryType());
  const accepted = documents.filter((query) => engines.accepts({ query }));
  const random = createRandom(SEED);
  let [compared, compiled] = [0, 0];
  for (const query of fc.sample(accepted, { numRuns: DOCUMENTS, seed: SEED })) {
    const others = [1, 2, 3].map(() => varyDocument(query, random));
    for (const request of [{ query }, ...others]) {
      if (!engines.accepts(request)) continue;
      compared++;
      if (await compare(engines, request)) compiled++;
    }
  }
  expect(compared).toBeGreaterThan(2 * DOCUMENTS);
  // Neither all nor none of them may be compiled.
  expect(compiled).toBeGreaterThan(DOCUMENTS);
  expect(compiled).toBeLessThan(compared);
});

/** A capture. The first one is made, and the others have the same result. */
const capture = (
  minorUnits: number,
  directive = '',
) => `captureTransaction(input: { transactionId: "${transaction}"
  amount: { minorUnits: ${minorUnits}, currency: "EUR" }, idempotencyKey: "engines-${minorUnits}" }) ${directive} {
    __typename ... on CaptureTransactionSuccess { operation { status } transaction { id } }
    ... on AmountTooLargeError { message maximum { minorUnits } } ... on RequestError { code } }`;

const lines = (count: number, line: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => line(at)).join(' ');
const MARK = '__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d';

/** What is easy to get wrong in a compiled query, and whether an operation with it is compiled. */
const pitfalls: [what: string, isCompiled: boolean, request: () => EngineRequest][] = [
  [
    'a text that would be executed as code',
    true,
    () => ({ query: `{ node(id: "${MARK}(globalThis.isExecuted = true)") { id } }` }),
  ],
  [
    'such a text in a list of an input',
    true,
    () => ({ query: `{ nodes(ids: ["x", "${MARK}(globalThis.isExecuted = true)"]) { id } }` }),
  ],
  [
    'such a text with escapes',
    true,
    () => ({
      query: `{ node(id: "${MARK.replace('_', '\\u005f')}(globalThis.isExecuted = true)") { id } }`,
    }),
  ],
  [
    'such a text as a default value',
    true,
    () => ({
      query: `query ($id: ID! = "${MARK}(globalThis.isExecuted = true)") { node(id: $id) { id } }`,
    }),
  ],
  [
    'such a text as a variable, which is only a value',
    true,
    () => ({
      query: 'query ($id: ID!) { node(id: $id) { id } }',
      variables: { id: `${MARK}(globalThis.isExecuted = true)` },
    }),
  ],
  [
    'fragments that double on each of 60 levels',
    true,
    () => ({
      query: `{ merchants { edges { node { ...F0 } } } } ${lines(
        60,
        (at) => `fragment F${at} on Merchant { ...F${at + 1} ...F${at + 1} }`,
      )} fragment F60 on Merchant { name }`,
    }),
  ],
  [
    'such fragments of a connection, whose flags are looked for',
    true,
    () => ({
      query: `{ merchants { ...F0 } } ${lines(
        60,
        (at) => `fragment F${at} on MerchantConnection { ...F${at + 1} ...F${at + 1} }`,
      )} fragment F60 on MerchantConnection { edges { cursor } }`,
    }),
  ],
  [
    'a fragment with a condition that is used elsewhere with another one',
    true,
    () => ({
      query: `query ($a: Boolean!, $b: Boolean!) { viewer { ...F @include(if: $a) }
        again: viewer { ...F @include(if: $b) } } fragment F on App { name }`,
      variables: { a: false, b: true },
    }),
  ],
  [
    'a fragment that is left out first and included later',
    true,
    () => ({
      query: `query ($a: Boolean!) { viewer { ...F @include(if: $a) ...F } } fragment F on App { name }`,
      variables: { a: false },
    }),
  ],
  [
    'a field that is left out first and included after another one',
    true,
    () => ({
      query: 'query ($a: Boolean!) { viewer { name @include(if: $a) rawId name } }',
      variables: { a: false },
    }),
  ],
  ['an alias `__proto__`', false, () => ({ query: '{ viewer { __proto__: name rawId } }' })],
  [
    'an alias with an underscore, which could have the `info` of another field',
    true,
    () => ({
      query: `{ transactions_a: merchant(id: "${merchant}") { id }
        a: merchant(id: "${merchant}") { transactions(first: 1) { edges { cursor } pageInfo { hasNextPage } } } }`,
    }),
  ],
  [
    'aliases with names of properties',
    true,
    () => ({ query: '{ viewer { constructor: name toString: rawId hasOwnProperty: id } }' }),
  ],
  [
    'a list in which some items fail',
    true,
    () => ({ query: `{ nodes(ids: ["${merchant}", "x", "${merchant}", "y"]) { id } }` }),
  ],
  [
    'variables that are not valid',
    true,
    () => ({
      query: 'query ($n: Int!) { merchants(first: $n) { edges { cursor } } }',
      variables: { n: 'x' },
    }),
  ],
  [
    'two errors, one of a field that is never null',
    true,
    () => ({
      query:
        '{ nodes(ids: ["x"]) { id } merchants(first: 999) { edges { cursor } } node(id: "x") { id } }',
    }),
  ],
  [
    'an error that makes the whole response null',
    true,
    () => ({ query: `{ viewer { name } nodes(ids: [${lines(101, () => '"x"')}]) { id } }` }),
  ],
  [
    'errors beside one that makes the whole response null',
    true,
    () => ({
      query: `{ node(id: "x") { id } merchants(first: 999) { edges { cursor } }
        nodes(ids: [${lines(101, () => '"x"')}]) { id } again: nodes(ids: [${lines(101, () => '"x"')}]) { id } }`,
    }),
  ],
  [
    'an id as a number, and a list as a single value',
    true,
    () => ({
      query: 'query ($id: ID!, $ids: [ID!]!) { node(id: $id) { id } nodes(ids: $ids) { id } }',
      variables: { id: 12, ids: 'x' },
    }),
  ],
  [
    'a variable that is null, and one that is left out',
    true,
    () => ({
      query: 'query ($a: Int, $b: Int) { merchants(first: $a, last: $b) { edges { cursor } } }',
      variables: { a: null },
    }),
  ],
  [
    'interfaces and their `__typename`',
    true,
    () => ({
      query: `{ node(id: "${merchant}") { __typename id ... on Merchant { type: __typename name } ... on User { email } } }`,
    }),
  ],
  ['a mutation', true, () => ({ query: `mutation { ${capture(10)} }` })],
  ['a mutation that is refused', true, () => ({ query: `mutation { ${capture(100_000)} }` })],
  ['two mutations', false, () => ({ query: `mutation { ${capture(20)} again: ${capture(30)} }` })],
  [
    'a mutation beside its type',
    false,
    () => ({ query: `mutation { __typename ${capture(60)} }` }),
  ],
  [
    'two mutations in a fragment',
    false,
    () => ({
      query: `mutation { ...F } fragment F on Mutation { ${capture(70)} again: ${capture(80)} }`,
    }),
  ],
  [
    'two mutations, one of which is left out',
    true,
    () => ({
      query: `mutation ($a: Boolean!) { ${capture(40)} again: ${capture(50, '@include(if: $a)')} }`,
      variables: { a: false },
    }),
  ],
  [
    'the schema',
    true,
    () => ({
      query:
        '{ __schema { queryType { name fields { name type { name kind ofType { name } } } } } __type(name: "Money") { fields { name } } }',
    }),
  ],
];

test.each(pitfalls)('%s has the same response', async (_what, isCompiled, request) => {
  expect(engines.accepts(request())).toBe(true);
  expect(await compare(engines, request())).toBe(isCompiled);
  expect(Object.hasOwn(globalThis, 'isExecuted')).toBe(false);
});

describe('a document with two operations', () => {
  const query = 'query A { viewer { name } } query B { viewer { rawId } }';
  const sent = ['A', 'A', 'B', 'A', 'B', 'B'].map((operationName) => ({ query, operationName }));

  async function responses(of: Engines) {
    const all = [];
    for (const request of sent) {
      all.push([await of.interpret(request), await of.compile(request)]);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return all;
  }

  test('runs the one that is named', async () => {
    for (const [expected, compiled] of await responses(engines)) expect(compiled).toBe(expected);
    expect(sent.every(engines.hasPlan)).toBe(true);
  });

  test('would run the other one if plans were kept by document', async () => {
    const spoiled = startEngines((plans) => ({
      find: (document, _operation, variables) => {
        const [first] = document.definitions;
        return first && 'operation' in first ? plans.find(document, first, variables) : undefined;
      },
    }));
    const differing = (await responses(spoiled)).filter(
      ([expected, compiled]) => expected !== compiled,
    );
    expect(differing).not.toEqual([]);
    await spoiled.close();
  });
});

test('a record that lacks several fields has the same errors before and after compiling', async () => {
  const { ask } = await gatewayBefore({ 'GET /transactions/t1': found });
  const query =
    '{ transaction(id: "t1") { createdAt amount { minorUnits } capturedAmount { currency } test } viewer { rawId } }';
  const answers = [];
  for (let count = 0; count < 4; count++) answers.push(await ask(query));
  expect(answers[0]?.errors).toHaveLength(1);
  expect(answers).toEqual(Array(4).fill(answers[0]));
});

test('the number of parameters of a resolver shows whether it reads `info`', () => {
  const resolvers = Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) ? Object.values(type.getFields()).map(({ resolve }) => resolve) : [],
  );
  const hidden = resolvers.filter((resolve) => {
    const count = resolve?.length ?? 0;
    const [parameters = ''] = String(resolve).split(/=>|\)\s*\{/);
    // What is taken out of an object does not change the number.
    const own = parameters.replace(/\{[^{}]*\}/g, '').replace(/\{[^{}]*\}/g, '');
    return count > 0 && count < 4 && /=|\.\.\./.test(own);
  });
  expect(resolvers.length).toBeGreaterThan(200);
  expect(hidden.map(String)).toEqual([]);
});
