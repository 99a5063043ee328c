import {
  GraphQLBoolean,
  GraphQLInputObjectType,
  GraphQLObjectType,
  GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
} from 'graphql';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { newScope } from '../../src/gateway/channels.ts';
import { createDocumentRules } from '../../src/gateway/execution/documents/document-rules.ts';
import { readDocument } from '../../src/gateway/execution/documents/read-document.ts';
import { movesMoney } from '../../src/gateway/schema/mutation-error.ts';
import { schema } from '../../src/gateway/schema.ts';
import { readGatewaySettings } from '../../src/gateway/settings/settings.ts';
import { given } from '../support/given.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
let transaction: string;
beforeAll(async () => {
  stack = await startStack();
  transaction = await given(stack).transaction(1000);
});
afterAll(() => stack.close());
beforeEach(() => {
  stack.calls.length = 0;
  stack.bugs.length = 0;
});

const repeat = (count: number, part: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => part(at)).join(' ');

const refund = (at: number) =>
  `r${at}: refundTransaction(input: { transactionId: "${transaction}", amount: { minorUnits: 1, currency: "EUR" }, idempotencyKey: "k${at}" }) { __typename }`;

/** Each fragment spreads the next one twice, so the first one expands to 2^22 fields. */
const doubling = (count: number, last: string) =>
  repeat(count, (at) => `fragment F${at} on Query { ...F${at + 1} ...F${at + 1} }`) +
  ` fragment F${count} on Query { ${last} }`;

const nested = (levels: number) =>
  `${'merchant { transactions(first: 1) { edges { node { '.repeat(levels)} id ${'} } } }'.repeat(levels)}`;

type Case = readonly [name: string, code: string, document: () => string, variables?: object];

const cases: readonly Case[] = [
  ['31 aliases', 'ALIAS_LIMIT', () => `{ ${repeat(31, (at) => `a${at}: __typename`)} }`],
  [
    'aliases in a fragment that is spread often',
    'ALIAS_LIMIT',
    () =>
      `{ ${repeat(8, () => '...F')} } fragment F on Query { a: __typename ${repeat(3, (at) => `b${at}: __typename`)} }`,
  ],
  ['31 refunds', 'ALIAS_LIMIT', () => `mutation { ${repeat(31, refund)} }`],
  ['6 refunds', 'MONEY_FIELD_LIMIT', () => `mutation { ${repeat(6, refund)} }`],
  [
    '6 refunds in fragments',
    'MONEY_FIELD_LIMIT',
    () =>
      `mutation { ...F ...G } fragment F on Mutation { ${repeat(3, refund)} } fragment G on Mutation { ${repeat(3, (at) => refund(at + 3))} }`,
  ],
  ['21 root fields', 'ROOT_FIELD_LIMIT', () => `{ ${repeat(21, () => '__typename')} }`],
  ['the same field 5,000 times', 'TOKEN_LIMIT', () => `{ ${repeat(5_000, () => '__typename')} }`],
  ['a million tokens', 'TOKEN_LIMIT', () => `{ ${'a '.repeat(100_000)} }`],
  ['5,000 nested braces', 'TOKEN_LIMIT', () => '{a'.repeat(5_000)],
  ['5,000 nested brackets', 'TOKEN_LIMIT', () => `{ nodes(ids: ${'['.repeat(5_000)}`],
  [
    'a cycle of types, 33 levels deep',
    'DEPTH_LIMIT',
    () => `{ transaction(id: "t") { ${nested(8)} } }`,
  ],
  [
    '9 directives',
    'DIRECTIVE_LIMIT',
    () => `{ __typename ${repeat(9, () => '@include(if: true)')} }`,
  ],
  [
    'fragments that double 22 times',
    'ROOT_FIELD_LIMIT',
    () => `{ ...F0 } ${doubling(22, '__typename')}`,
  ],
  [
    'pages of 100 in pages of 100, by variables',
    'COMPLEXITY_LIMIT',
    () =>
      `query ($n: Int) { merchants(first: $n) { edges { node { transactions(first: $n) { edges { node { id } } } } } } }`,
    { n: 100 },
  ],
  [
    'pages of 100 in pages of 100, by default values',
    'COMPLEXITY_LIMIT',
    () =>
      `query ($n: Int = 100) { merchants(first: $n) { edges { node { transactions(first: $n) { edges { node { id } } } } } } }`,
  ],
  [
    'the complete schema three times',
    'COMPLEXITY_LIMIT',
    () => `{ ${repeat(3, (at) => `a${at}: __schema { types { name } }`)} }`,
  ],
  [
    'ten unknown fields',
    'GRAPHQL_VALIDATION_FAILED',
    () => `{ ${repeat(10, (at) => `nothing${at}`)} }`,
  ],
  [
    'a fragment that contains itself',
    'GRAPHQL_VALIDATION_FAILED',
    () => '{ ...F } fragment F on Query { ...F }',
  ],
  ['an incomplete document', 'GRAPHQL_PARSE_FAILED', () => '{ merchants('],
  [
    'a variable of another type',
    'BAD_USER_INPUT',
    () => 'query ($n: Int!) { merchants(first: $n) { edges { cursor } } }',
    { n: 'x' },
  ],
  ['U+0000 in a text', 'BAD_USER_INPUT', () => '{ merchant(id: "a\\u0000b") { id } }'],
];

for (const [name, code, document, variables] of cases) {
  test(`${name} returns ${code}, and calls no service`, async () => {
    const { data, errors = [] } = await stack.ask(document(), { ...variables });
    expect(data).toBeUndefined();
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.length).toBeLessThanOrEqual(5);
    for (const { extensions } of errors) expect(extensions).toEqual({ code });
    expect(stack.calls).toEqual([]);
    expect(stack.bugs).toEqual([]);
  });
}

/** The mutations whose input has an idempotency key. */
const moneyMutations = Object.values(schema.getMutationType()?.getFields() ?? {})
  .filter(({ args }) => {
    const input = args[0] && getNamedType(args[0].type);
    return input instanceof GraphQLInputObjectType && 'idempotencyKey' in input.getFields();
  })
  .map(({ name }) => name);

test('every mutation with an idempotency key counts as one that moves money, and no other one', async () => {
  expect(moneyMutations.length).toBeGreaterThan(0);
  for (const { name } of Object.values(schema.getMutationType()?.getFields() ?? {})) {
    const six = repeat(6, (at) => `a${at}: ${name}(input: {}) { __typename }`);
    const { errors } = await stack.ask(`mutation { ${six} }`);
    const codes = errors?.map(({ extensions }) => extensions?.code) ?? [];
    expect(codes.includes('MONEY_FIELD_LIMIT'), name).toBe(moneyMutations.includes(name));
  }
});

test('a new mutation that is declared to move money counts as one', () => {
  const mutation = new GraphQLObjectType({
    name: 'Mutation',
    fields: { inventMoney: { type: GraphQLBoolean, ...movesMoney } },
  });
  const { limits } = readGatewaySettings({}).documents;
  const rules = { schema: new GraphQLSchema({ mutation }), limits, introspection: true };
  const six = `mutation { ${repeat(6, (at) => `a${at}: inventMoney`)} }`;
  expect(readDocument(six, rules, newScope())).toMatchObject({
    errors: [{ extensions: { code: 'MONEY_FIELD_LIMIT' } }],
  });
});

test('an amount that is not an integer is an error that says where it is', async () => {
  const { errors } = await stack.ask(`mutation { captureTransaction(input: { transactionId: "txn_1",
    idempotencyKey: "k", amount: { minorUnits: "25.00", currency: "EUR" } }) { __typename } }`);
  expect(errors).toMatchObject([
    {
      message:
        'MinorUnits must be an integer in minor units, such as 995 for 9.95, from -(2^53-1) to 2^53-1.',
      locations: [{ line: 2, column: 48 }],
    },
  ]);
});

test('the limits count the operation that is executed, and every other one', async () => {
  const document = `query Small { __typename } query Large { ${repeat(31, (at) => `a${at}: __typename`)} }`;
  const response = await fetch(`${stack.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: document, operationName: 'Large' }),
  });
  const { errors } = await response.json();
  expect(errors).toMatchObject([{ extensions: { code: 'ALIAS_LIMIT' } }]);
});

test('the complexity is that of the operation that is executed', async () => {
  const page = (first: number) =>
    `merchants(first: ${first}) { edges { node { transactions(first: ${first}) { edges { node { id } } } } } }`;
  const query = `query Small { ${page(1)} } query Large { ${page(100)} }`;
  const send = async (operationName: string) => {
    const response = await fetch(`${stack.url}/graphql`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${stack.sandbox.demoApp.key}`,
      },
      body: JSON.stringify({ query, operationName }),
    });
    return response.json();
  };
  expect((await send('Small')).errors).toBeUndefined();
  expect((await send('Large')).errors).toMatchObject([
    { extensions: { code: 'COMPLEXITY_LIMIT' } },
  ]);
});

test('the introspection query of tools is within the limits', async () => {
  const options = { inputValueDeprecation: true, specifiedByUrl: true, oneOf: true };
  const { data, errors } = await stack.ask(getIntrospectionQuery(options));
  expect(errors).toBeUndefined();
  expect(data.__schema.types.length).toBeGreaterThan(50);
});

const mistakes: readonly (readonly [what: string, query: string, suggested: string])[] = [
  ['a field', '{ viewer { nam } }', 'name'],
  ['a root field', '{ merchantz { id } }', 'merchants'],
  ['a field of another type', '{ node(id: "x") { amount } }', 'Transaction'],
  ['an argument', '{ merchants(frist: 1) { edges { cursor } } }', 'first'],
  ['an argument of a directive', '{ __typename @include(iff: true) }', 'if'],
  ['a type', 'query ($a: Merchantt) { __typename }', 'Merchant'],
  ['a type of a fragment', '{ ...F } fragment F on Querry { __typename }', 'Query'],
  [
    'a value of an enum',
    '{ merchant(id: "x") { transactionTotals(groupBy: [STATES]) { groups { count } } } }',
    'STATE',
  ],
  [
    'a field of an input',
    'mutation { updateMerchant(input: { merchantIdd: "x" }) { __typename } }',
    'merchantId',
  ],
];

/** A gateway in front of the services of the others, whose clients may not read the schema. */
async function startHidden(): Promise<Stack> {
  const { usersUrl, paymentsUrl, posUrl } = stack.sandbox;
  return startStack({ introspection: false, services: { usersUrl, paymentsUrl, posUrl } });
}

test.each(mistakes)('a mistake in %s returns a suggestion', async (_what, query, suggested) => {
  // The second time from the cache.
  for (const _time of [1, 2]) {
    const { errors = [] } = await stack.ask(query);
    const suggestions = errors.flatMap(({ message }) => message.split('Did you mean ')[1] ?? []);
    expect(suggestions.join()).toContain(`"${suggested}"`);
  }
});

const byVariables: readonly (readonly [query: string, variables: object, suggested: string])[] = [
  [
    'mutation ($i: UpdateMerchantInput!) { updateMerchant(input: $i) { __typename } }',
    { i: { merchantIdd: 'x', name: 'y' } },
    'merchantId',
  ],
  [
    'query ($g: [TotalsDimension!]!) { merchant(id: "x") { transactionTotals(groupBy: $g) { groups { count } } } }',
    { g: ['STATES'] },
    'STATE',
  ],
];

test.each(byVariables)(
  'a mistake in the variables of %s returns a suggestion',
  async (query, variables, suggested) => {
    // The third time with a plan, if there is one.
    for (const _time of [1, 2, 3]) {
      const { errors = [] } = await stack.ask(query, variables);
      expect(JSON.stringify(errors)).toMatch(new RegExp(`Did you mean .*${suggested}`));
    }
  },
);

test('a mistake returns no suggestion if clients may not read the schema', async () => {
  const hidden = await startHidden();
  for (const [query, variables] of [
    ...mistakes.map(([, text]) => [text, {}] as const),
    ...byVariables,
  ]) {
    const { errors } = await hidden.ask(query, variables);
    expect(errors?.length).toBeGreaterThan(0);
    expect(JSON.stringify(errors)).not.toContain('Did you mean');
  }
  await hidden.close();
});

test('names are compared for the errors that are reported, and for no others', async () => {
  // graphql-js converts both names that it compares, and nothing else does.
  const compared = vi.spyOn(String.prototype, 'toLowerCase');
  onTestFinished(() => compared.mockRestore());
  const rules = createDocumentRules(readGatewaySettings({}));
  const count = (query: string) => {
    compared.mockClear();
    const read = readDocument(query, rules, newScope());
    expect('errors' in read && read.errors.length).toBe(5);
    return compared.mock.calls.length;
  };
  const few = count(`{ viewer { ${repeat(6, (at) => `nam${at}`)} } }`);
  expect(few).toBeGreaterThan(20);
  expect(count(`{ viewer { ${repeat(900, (at) => `nam${at}`)} } }`)).toBe(few);
});

test('a document with types of its own gets no suggestion, which could take minutes', async () => {
  const long = 'a'.repeat(60_000);
  const { errors } = await stack.ask(`query ($v: ${long}b) { nothing } type ${long} { id: ID }`);
  expect(JSON.stringify(errors)).toContain('Unknown type');
  expect(JSON.stringify(errors)).not.toContain('Did you mean');
});

test('in production, the schema cannot be read and there is no GraphiQL, unless they are turned on', async () => {
  const { usersUrl, paymentsUrl, posUrl } = stack.sandbox;
  const services = { usersUrl, paymentsUrl, posUrl };
  const html = { headers: { accept: 'text/html' } };
  for (const [env, isOpen] of [
    [{ NODE_ENV: 'production' }, false],
    [{ NODE_ENV: 'production', INTROSPECTION: 'on', GRAPHIQL: 'on' }, true],
    [{ INTROSPECTION: 'off', GRAPHIQL: 'off' }, false],
  ] as const) {
    const other = await startStack({ ...readGatewaySettings(env), services });
    const { errors } = await other.ask(
      '{ ...F } fragment F on Query { __schema { types { name } } }',
    );
    expect(errors === undefined).toBe(isOpen);
    expect((await other.ask('{ __typename }')).data).toEqual({ __typename: 'Query' });
    expect((await fetch(`${other.url}/graphql`, html)).status).toBe(isOpen ? 200 : 405);
    expect((await fetch(`${other.url}/schema`, html)).status).toBe(isOpen ? 200 : 404);
    await other.close();
  }
});
