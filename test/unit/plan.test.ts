import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLFieldConfigMap,
  GraphQLID,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  getOperationAST,
  parse,
} from 'graphql';
import { expect, test } from 'vitest';
import { newScope } from '../../src/gateway/channels.ts';
import { createExecuteOperation } from '../../src/gateway/execution/execute-operation.ts';
import { createPlans } from '../../src/gateway/execution/plans/plans.ts';

const Named = new GraphQLInterfaceType({
  name: 'Named',
  fields: { name: { type: GraphQLString } },
  resolveType: (value) => value.kind,
});
const Dog = new GraphQLObjectType({
  name: 'Dog',
  interfaces: [Named],
  fields: { name: { type: GraphQLString }, barks: { type: new GraphQLNonNull(GraphQLInt) } },
});
const Cat = new GraphQLObjectType({
  name: 'Cat',
  interfaces: [Named],
  fields: { name: { type: GraphQLString }, lives: { type: GraphQLInt } },
});
const Pet = new GraphQLUnionType({
  name: 'Pet',
  types: [Dog, Cat],
  resolveType: async (value) => value.kind,
});
const Size = new GraphQLEnumType({
  name: 'Size',
  values: { SMALL: { value: 1 }, LARGE: { value: 2 } },
});
const Odd = new GraphQLScalarType({
  name: 'Odd',
  serialize: (value) => (typeof value === 'number' && value % 2 === 1 ? value : null),
});
const Range = new GraphQLInputObjectType({
  name: 'Range',
  fields: {
    from: { type: GraphQLInt, defaultValue: 1 },
    to: { type: new GraphQLNonNull(GraphQLInt) },
    sizes: { type: new GraphQLList(Size) },
  },
});

const dog = { kind: 'Dog', name: 'Rex', barks: 3 };
const cat = { kind: 'Cat', name: 'Tom', lives: 9 };
const later = <T>(value: T): Promise<T> => new Promise((resolve) => setImmediate(resolve, value));
const thenable = (value: unknown) => ({
  // biome-ignore lint/suspicious/noThenProperty: a promise of another library.
  then: (resolve: (value: unknown) => void) => resolve(value),
});
class Counter {
  #count = 41;
  next(): number {
    return ++this.#count;
  }
}
const shown = (_source: unknown, args: object) => JSON.stringify(args);

const fields: GraphQLFieldConfigMap<unknown, unknown> = {
  text: { type: GraphQLString, resolve: () => 'text' },
  number: { type: GraphQLString, resolve: () => 12 },
  noText: { type: GraphQLString, resolve: () => ({}) },
  id: { type: GraphQLID, resolve: () => 7 },
  truth: { type: GraphQLBoolean, resolve: () => true },
  noTruth: { type: GraphQLBoolean, resolve: () => 'yes' },
  large: { type: GraphQLInt, resolve: () => 2 ** 31 },
  absent: { type: GraphQLString, resolve: () => undefined },
  neverAbsent: { type: new GraphQLNonNull(GraphQLString), resolve: () => null },
  odd: { type: Odd, resolve: () => 3 },
  even: { type: Odd, resolve: () => 4 },
  size: { type: Size, resolve: () => 2 },
  noSize: { type: Size, resolve: () => 3 },
  error: { type: GraphQLString, resolve: () => new Error('returned') },
  thrown: {
    type: GraphQLString,
    resolve: () => {
      throw new Error('thrown');
    },
  },
  rejected: { type: GraphQLString, resolve: () => Promise.reject(new Error('rejected')) },
  late: { type: GraphQLString, resolve: () => later('late') },
  lateNull: { type: new GraphQLNonNull(GraphQLString), resolve: () => later(null) },
  thenable: { type: GraphQLString, resolve: () => thenable('then') },
  list: { type: new GraphQLList(GraphQLInt), resolve: () => [1, null, later(3), thenable(4)] },
  set: { type: new GraphQLList(GraphQLInt), resolve: () => new Set([1, 2]) },
  noList: { type: new GraphQLList(GraphQLInt), resolve: () => 'text' },
  errors: { type: new GraphQLList(GraphQLInt), resolve: () => [1, new Error('of an item'), 3] },
  matrix: {
    type: new GraphQLList(new GraphQLNonNull(new GraphQLList(GraphQLInt))),
    resolve: () => [[1], [later(2), 3], []],
  },
  strict: {
    type: new GraphQLList(new GraphQLNonNull(GraphQLInt)),
    resolve: () => [later(1), Promise.reject(new Error('of a strict item'))],
  },
  dog: { type: Dog, resolve: () => later(dog) },
  dogs: { type: new GraphQLList(Dog), resolve: () => [dog, later(dog), { name: 'Mute' }] },
  mixed: {
    type: new GraphQLList(GraphQLInt),
    resolve: () => ['x', Promise.reject(new Error('of a later item')), 3],
  },
  word: {
    type: new GraphQLObjectType({ name: 'Word', fields: { length: { type: GraphQLInt } } }),
    resolve: () => 'four',
  },
  lost: { type: new GraphQLList(Cat), resolve: () => [cat, new Error('lost')] },
  named: { type: new GraphQLList(Named), resolve: () => [dog, cat, later(cat)] },
  pets: { type: new GraphQLList(Pet), resolve: () => [dog, cat] },
  stranger: { type: Named, resolve: () => ({ kind: 'Fish' }) },
  args: {
    type: GraphQLString,
    args: {
      text: { type: GraphQLString, defaultValue: 'usual' },
      range: { type: Range },
      sizes: { type: new GraphQLList(Size) },
    },
    resolve: shown,
  },
  required: {
    type: GraphQLString,
    args: { n: { type: new GraphQLNonNull(GraphQLInt), defaultValue: 5 } },
    resolve: shown,
  },
  path: { type: GraphQLString, resolve: (_source, _args, _context, info) => info.path.key },
  info: {
    type: GraphQLString,
    resolve: (_source, _args, _context, { fieldName, parentType, variableValues }) =>
      JSON.stringify([fieldName, parentType.name, variableValues]),
  },
  rest: { type: GraphQLString, resolve: (...given) => String(given[3].fieldName) },
  counter: {
    type: new GraphQLObjectType({ name: 'Counter', fields: { next: { type: GraphQLInt } } }),
    resolve: () => new Counter(),
  },
};
const schema = new GraphQLSchema({
  query: new GraphQLObjectType({ name: 'Query', fields }),
  types: [Dog, Cat],
});

/** The responses before there is a plan and with it, and whether there is one. */
async function respond(query: string, variables: Readonly<Record<string, unknown>> = {}) {
  const plans = createPlans(schema, { isEnabled: true, count: 1 });
  const document = parse(query);
  const operation = getOperationAST(document);
  if (!operation) throw new Error('no operation');
  const execute = createExecuteOperation(schema, plans);
  const respondOnce = async () =>
    JSON.stringify(
      await execute({ document, operation, variables, context: {}, scope: newScope() }),
    );
  const interpreted = await respondOnce();
  const planned = await respondOnce();
  const plan = plans.find(document, operation, variables);
  return { interpreted, planned, hasPlan: plan !== undefined };
}

const nested = 'name ... on Dog { barks } ... on Cat { lives }';
const queries: [query: string, variables?: Readonly<Record<string, unknown>>][] = [
  ...Object.entries(fields)
    .filter(([name]) => name !== 'path' && name !== 'counter')
    .map(([name, { type }]): [string] => {
      const below = {
        dog: nested,
        dogs: 'name barks',
        named: nested,
        stranger: 'name',
        lost: 'lives',
      };
      if (name === 'pets') return [`{ text pets { __typename ${nested.slice(5)} } late }`];
      if (name === 'word') return ['{ text word { length } late }'];
      const set = name in below ? `{ ${below[name as keyof typeof below]} }` : '';
      return [`{ text ${name} ${set} late again: ${name} ${set} } # ${type}`];
    }),
  ['{ late text thenable number }'],
  ['{ args(text: null, range: { to: 3, sizes: [SMALL, LARGE] }, sizes: LARGE) }'],
  ['query ($n: Int = 4) { args(range: { from: $n, to: 9 }) required(n: $n) }'],
  ['query ($n: Int = 4) { args(range: { from: $n, to: 9 }) required(n: $n) }', { n: 8 }],
  ['query ($n: Int) { required(n: $n) late }'],
  ['query ($n: Int) { required(n: $n) late }', { n: null }],
  ['query ($n: Int!) { required(n: $n) late }', { n: 'x' }],
  ['query ($n: Int!) { required(n: $n) late }', { n: 2.5 }],
  ['query ($t: String, $s: [Size]) { args(text: $t, sizes: $s) info }', { s: 'LARGE' }],
  ['query ($t: String, $s: [Size]) { args(text: $t, sizes: $s) info }', { t: 'x', s: ['BIG'] }],
  ['query ($id: ID) { info a: info @skip(if: false) }', { id: 5, other: 6 }],
  ['query ($a: Boolean = true) { text @skip(if: $a) late @include(if: $a) }'],
  ['query ($a: Boolean = true) { text @skip(if: $a) late @include(if: $a) }', { a: false }],
  ['query ($a: Boolean = true) { text @skip(if: $a) late @include(if: $a) }', { a: null }],
  ['{ ...F late ...F } fragment F on Query { dog { name } dog { barks name } text }'],
  ['{ then: text toJSON: text valueOf: late constructor: dog { then: name } }'],
  ['{ __typename __schema { queryType { name } } __type(name: "Dog") { fields { name } } }'],
];

test.each(queries)('%s %j has the same response with a plan', async (query, variables) => {
  const { interpreted, planned, hasPlan } = await respond(query, variables);
  // graphql-js shows the value, which a log must not.
  const withoutValue = interpreted.replaceAll(
    /Expected `Odd[^"]*/g,
    'Odd did not serialize a value.',
  );
  expect(planned).toBe(withoutValue);
  // Only a condition that is not valid has no plan.
  expect(hasPlan).toBe(variables?.a !== null);
});

test.each([
  ['{ path }', 'A plan has no paths. Query.path reads one.'],
  ['{ counter { next } }', 'Counter.next must not be a method.'],
])(
  '%s has an error with a plan, which names the field that plans cannot execute',
  async (query, message) => {
    expect(JSON.parse((await respond(query)).planned).errors).toMatchObject([{ message }]);
  },
);

test('an alias `__proto__` has no plan', async () => {
  const response = '{"data":{"__proto__":"text"}}';
  expect(await respond('{ __proto__: text }')).toEqual({
    interpreted: response,
    planned: response,
    hasPlan: false,
  });
});
