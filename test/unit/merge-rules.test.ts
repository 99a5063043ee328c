import fc from 'fast-check';
import {
  BREAK,
  buildSchema,
  type DocumentNode,
  GraphQLError,
  parse,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql';
import { expect, test } from 'vitest';
import { mergeRules } from '../../src/gateway/execution/documents/merge-rules.ts';

const RUNS = 200;

const schema = buildSchema(`
  interface Named { name: String }
  type Dog implements Named { name: String age(unit: Unit = YEARS, of: Filter): Int dogs: [Dog!] any: Any }
  type Cat implements Named { name: String lives: Int }
  union Any = Dog | Cat
  enum Unit { YEARS DAYS }
  input Filter { name: String! unit: Unit }
  type Query { dog(id: ID!): Dog any: Any feed(id: ID!): Dog }
  type Subscription { dog: Dog any: Any }
  directive @defer(if: Boolean! = true, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT
  directive @stream(if: Boolean! = true, label: String, initialCount: Int = 0) on FIELD
`);

const BASE = `
query First ( $id : ID! $of : Filter ) @skip ( if : true ) {
  dog ( id : $id ) { name ... More any { __typename ... on Cat { lives } } }
}
query Second { feed ( id : 1 ) { age ( unit : DAYS of : { name : "a" unit : YEARS } ) @include ( if : true ) } }
subscription Third { dog { name } }
fragment More on Dog { x : name age ( of : $of ) dogs { ... on Named { name } } }
`;
const TOKENS = BASE.trim().split(/\s+/);
/** Definitions, one at least for every rule, that break it. */
const INVALID = [
  'type X { a: Int }',
  'query First { any { __typename } }',
  '{ any { __typename } }',
  'subscription A { dog { name } any { __typename } }',
  'query B { __schema { types { fields { type { fields { type { fields { name } } } } } } } }',
  'fragment More on Nothing { name }',
  'fragment C on Unit { name }',
  'query D($a: Dog) { dog(id: $a) { name } }',
  'query E { dog(id: 1) }',
  'query F { cat ...Nothing }',
  'fragment G on Dog { ... on Cat { name } ...G }',
  'query H($a: ID! $a: ID) { dog(id: $a) { name } }',
  'query I($a: ID) { dog(id: $b) { name } }',
  'query J { any @nothing { __typename } }',
  'query K { any @skip(if: true) @skip(if: true) { __typename } }',
  'query L { dog(id: 1 id: 1.5 a: 1) { name } }',
  'mutation N { feed(id: 1) { name } }',
  'subscription O { ... @defer { dog { name } } }',
  'subscription P { dog { ... @defer { name } } }',
  'query Q { any { ... @defer(label: "a") { __typename } ... @defer(label: "a") { __typename } } }',
  'query R { any @stream { __typename } }',
  'query M { dog { a: name a: age(of: { name: "a" name: "b" }) } }',
];

/** The base with a few words in the place of others, and invalid definitions. */
const documents: fc.Arbitrary<DocumentNode> = fc
  .tuple(
    fc.array(
      fc.record({
        at: fc.nat(TOKENS.length - 1),
        by: fc.constantFrom('', ...TOKENS),
      }),
      { maxLength: 4 },
    ),
    fc.subarray(INVALID),
  )
  .map(([changes, more]) => {
    const words = [...TOKENS];
    for (const { at, by } of changes) words[at] = by;
    return parsed([...words, ...more].join(' '));
  })
  .filter((document) => document !== undefined);

function parsed(text: string): DocumentNode | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** Rules that end before the document does, or do not look into a part of it. */
const leaving: ValidationRule[] = [
  (context) => ({
    Field: ({ name }) => {
      context.reportError(new GraphQLError(`field ${name.value}`));
      return name.value === 'dog' ? false : undefined;
    },
  }),
  (context) => ({
    enter: ({ kind }) => {
      context.reportError(new GraphQLError(`enter ${kind}`));
      return kind === 'Argument' ? BREAK : undefined;
    },
  }),
  (context) => ({
    Name: {
      leave: ({ value }) => {
        context.reportError(new GraphQLError(`leave ${value}`));
        return value === 'More' ? BREAK : undefined;
      },
    },
  }),
];

test('merged rules find the errors of single rules, in their order', () => {
  const rules = [...specifiedRules, ...leaving];
  const [single, merged] = [[...rules], [mergeRules(rules)]];
  const unused = new Set(specifiedRules);
  const options = { maxErrors: 1_000 };
  fc.assert(
    fc.property(documents, (document) => {
      const find = (by: readonly ValidationRule[]) =>
        JSON.stringify(validate(schema, document, by, options));
      expect(find(merged)).toBe(find(single));
      for (const rule of unused) {
        if (validate(schema, document, [rule]).length > 0) unused.delete(rule);
      }
    }),
    { numRuns: RUNS },
  );
  expect([...unused].map(({ name }) => name)).toEqual([]);
});
