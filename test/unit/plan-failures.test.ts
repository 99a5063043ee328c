import fc from 'fast-check';
import {
  execute,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLSchema,
  getOperationAST,
  parse,
} from 'graphql';
import { expect, inject, test } from 'vitest';
import { newScope } from '../../src/gateway/channels.ts';
import { createExecuteOperation } from '../../src/gateway/execution/execute-operation.ts';
import { createPlans } from '../../src/gateway/execution/plans/plans.ts';
import { comparableErrors } from '../support/comparable.ts';

/** An object whose fields end as its number says, in the same way for both engines. */
interface Source {
  readonly seed: number;
  readonly kind: 'A' | 'B';
}

function mix(seed: number, text: string): number {
  let hash = seed | 0;
  for (const letter of text) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x9e3779b1);
  return (hash ^ (hash >>> 15)) >>> 0;
}

const objectOf = (seed: number): Source => ({ seed, kind: seed % 2 === 0 ? 'A' : 'B' });
const later = async (value: () => unknown, turns: number) => {
  for (let turn = 0; turn < turns; turn++) await undefined;
  return value();
};

/** A value, null, an error that is returned, or one that is thrown, now or later. */
function outcome(seed: number, value: (seed: number) => unknown): unknown {
  const end = (): unknown => {
    if (seed % 16 === 0) return null;
    if (seed % 16 === 1) return new Error(`returned by ${seed}`);
    if (seed % 16 === 2) throw new Error(`thrown by ${seed}`);
    return value(mix(seed, 'value'));
  };
  return (seed >>> 4) % 3 === 0 ? later(end, (seed >>> 6) % 5) : end();
}

const listOf = (seed: number, item: (seed: number) => unknown) =>
  Array.from({ length: seed % 4 }, (_, at) => {
    const part = mix(seed, `item ${at}`);
    // An item that throws would throw for its list.
    return outcome(part % 16 === 2 ? part + 1 : part, item);
  });
// If an item that must not be null fails at once, graphql-js leaves the promises before it alone.
const listLater = (seed: number, item: (seed: number) => unknown) =>
  listOf(seed, item).map(async (value) => value);
const listNow = (seed: number, item: (seed: number) => unknown) =>
  listOf(seed, item).filter((value) => !(value instanceof Promise));

function fieldsOf(): GraphQLFieldConfigMap<Source, unknown> {
  const required = <T extends GraphQLOutputType>(type: T) => new GraphQLNonNull(type as never);
  const list = (type: GraphQLOutputType) => new GraphQLList(type);
  const number = (seed: number) => seed % 1_000;
  const types: [string, GraphQLOutputType, (seed: number) => unknown][] = [
    ['int', GraphQLInt, number],
    ['odd', GraphQLInt, (seed) => (seed % 5 === 0 ? 'no number' : seed % 1_000)],
    ['object', ObjectA, objectOf],
    ['either', Either, objectOf],
    ['ints', list(GraphQLInt), (seed) => listOf(seed, number)],
    ['objects', list(ObjectA), (seed) => listOf(seed, objectOf)],
    ['allObjects', list(required(ObjectA)), (seed) => listLater(seed, objectOf)],
    ['allInts', list(required(GraphQLInt)), (seed) => listNow(seed, number)],
    ['eithers', list(required(Either)), (seed) => (seed % 9 === 0 ? 7 : listLater(seed, objectOf))],
  ];
  return Object.fromEntries(
    types.flatMap(([name, type, value]) => {
      const resolve = ({ seed }: Source) => outcome(mix(seed, name), value);
      return [
        [name, { type, resolve }],
        [`${name}Required`, { type: required(type), resolve }],
      ];
    }),
  );
}

const Either: GraphQLInterfaceType = new GraphQLInterfaceType({
  name: 'Either',
  fields: fieldsOf,
  resolveType: ({ kind, seed }) =>
    seed % 17 === 0 ? 'Stranger' : seed % 3 === 0 ? Promise.resolve(kind) : kind,
});
const ObjectA: GraphQLObjectType = new GraphQLObjectType({
  name: 'A',
  interfaces: [Either],
  fields: fieldsOf,
});
const ObjectB = new GraphQLObjectType({ name: 'B', interfaces: [Either], fields: fieldsOf });
const Query = new GraphQLObjectType({
  name: 'Query',
  fields: () =>
    Object.fromEntries<GraphQLFieldConfig<unknown, unknown>>(
      Object.entries(fieldsOf()).map(([name, { type }]) => [
        name,
        {
          type,
          args: { seed: { type: GraphQLInt } },
          resolve: (_root, { seed }, context, info) =>
            ObjectA.getFields()[name]?.resolve?.(objectOf(seed), {}, context, info),
        },
      ]),
    ),
});
const schema = new GraphQLSchema({ query: Query, types: [ObjectA, ObjectB] });

const isLeaf = (name: string) => /^(int|odd|allInts)/.test(name);
const names = Object.keys(ObjectA.getFields());
const selections = (depth: number): fc.Arbitrary<string> =>
  fc
    .array(
      fc
        .constantFrom(...names.filter((name) => depth > 0 || isLeaf(name)))
        .chain((name) =>
          isLeaf(name)
            ? fc.constant(name)
            : selections(depth - 1).map((selected) => `${name} ${selected}`),
        ),
      { minLength: 1, maxLength: 4 },
    )
    .map((all) => `{ ${all.map((one, at) => `f${at}: ${one}`).join(' ')} }`);
const documents = fc
  .array(fc.tuple(fc.constantFrom(...names), selections(3), fc.nat(1_000_000)), {
    minLength: 1,
    maxLength: 3,
  })
  .map((fields) =>
    fields
      .map(([name, set, seed], at) => `r${at}: ${name}(seed: ${seed}) ${isLeaf(name) ? '' : set}`)
      .join(' '),
  )
  .map((fields) => `{ ${fields} }`);

test('a compiled query has the data and the errors of graphql-js, and executes each field once', async () => {
  const plans = createPlans(schema, { isEnabled: true, count: 100 });
  const run = createExecuteOperation(schema, plans);
  let failed = 0;
  await fc.assert(
    fc.asyncProperty(documents, async (text) => {
      const document = parse(text);
      const operation = getOperationAST(document);
      if (!operation) throw new Error('There is no operation.');
      for (let use = 0; use < 2; use++) plans.find(document, operation, {});
      // One with too many fields has no plan.
      fc.pre(plans.find(document, operation, {}) !== undefined);
      const expected = await execute({ schema, document });
      const found = await run({
        ...{ document, operation, variables: {}, context: {}, scope: newScope() },
      });
      expect(JSON.stringify(found.data)).toBe(JSON.stringify(expected.data));
      expect(comparableErrors(found.data, found.errors)).toEqual(
        comparableErrors(expected.data, expected.errors),
      );
      if (expected.errors) failed++;
    }),
    { numRuns: 500 * inject('scale') },
  );
  expect(failed).toBeGreaterThan(100);
});
