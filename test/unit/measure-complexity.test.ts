import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { buildSchema, type OperationDefinitionNode, parse } from 'graphql';
import { expect, test } from 'vitest';
import { createMeasureComplexity } from '../../src/gateway/execution/documents/complexity.ts';

const schema = buildSchema(`
  type Query { items(first: Int): [Item!]!, some(ids: [ID!]!): [Item!]! }
  type Item { id: ID!, parts(first: Int, last: Int): [Item!]! }
`);
const document = parse(`query ($n: Int = 7, $m: Int, $with: Boolean, $ids: [ID!]!) {
  items(first: $n) { parts(last: $m) { id } }
  ... @include(if: $with) { more: items(first: $m) { id } some(ids: $ids) { id } }
}`);
const operation = document.definitions[0] as OperationDefinitionNode;

const size = fc.option(fc.integer({ min: -1, max: 3 }), { nil: undefined });
const requests = fc.record(
  {
    n: size,
    m: fc.oneof(size, fc.constantFrom(null, '2', true)),
    with: fc.boolean(),
    ids: fc.oneof(fc.array(fc.constant('i'), { maxLength: 3 }), fc.integer({ min: 0, max: 3 })),
    unused: fc.integer(),
  },
  { requiredKeys: [] },
);

test.each([
  ['[ID!]!', '["a", "b", "c", "d", "e"]', 5],
  ['[String!]', '["a", "b"]', 2],
  // A list that counts as one of unknown length.
  ['[Colour!]', '[RED, RED, RED, RED]', 3],
])(
  'a field with an argument of the type %s and the value %s has %i items',
  (type, value, items) => {
    const invented = buildSchema(
      `enum Colour { RED } type Item { id: ID! } type Query { found(by: ${type}): [Item!]! }`,
    );
    const found = parse(`{ found(by: ${value}) { id } }`);
    const query = found.definitions[0] as OperationDefinitionNode;
    expect(createMeasureComplexity(invented)(found, query, {})).toBe(items);
  },
);

test('the complexity does not depend on earlier requests with the same document', () => {
  fc.assert(
    fc.property(fc.array(requests, { minLength: 2, maxLength: 8 }), (sequence) => {
      const measure = createMeasureComplexity(schema);
      for (const variables of sequence) {
        const expected = createMeasureComplexity(schema)(document, operation, variables);
        expect(measure(document, operation, variables)).toBe(expected);
      }
    }),
    { numRuns: 2_000 },
  );
});

test('lists in variables are not kept in memory', async () => {
  const measure = createMeasureComplexity(schema);
  const send = (ids: readonly string[]) => {
    measure(document, operation, { with: true, ids });
    return new WeakRef(ids);
  };
  const sent = send(['i']);
  // A reference is kept until the end of the turn that made it.
  await new Promise(setImmediate);
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  expect(sent.deref()).toBeUndefined();
});
