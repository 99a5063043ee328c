import { getOperationAST, parse } from 'graphql';
import { expect, test } from 'vitest';
import { createPlans } from '../../src/gateway/execution/plans/plans.ts';
import { schema } from '../../src/gateway/schema.ts';

/** Returns what uses an operation, and returns whether it has a plan then. */
function createUse({ count = 200 } = {}) {
  const plans = createPlans(schema, { isEnabled: true, count });
  return (text: string) => {
    const document = parse(text);
    const operation = getOperationAST(document);
    if (!operation) throw new Error('no operation');
    return (variables: Readonly<Record<string, unknown>> = {}) =>
      plans.find(document, operation, variables) !== undefined;
  };
}

test('an operation is compiled when it is used for the second time', () => {
  const use = createUse()('{ viewer { name } }');
  expect([use(), use(), use()]).toEqual([false, true, true]);
});

test('a mutation is compiled if it has one field', () => {
  const use = createUse();
  const revoke = 'revokeMerchantApp(input: { merchantId: "x", appId: "x" }) { __typename }';
  const [one, two] = [use(`mutation { ${revoke} }`), use(`mutation { ${revoke} a: ${revoke} }`)];
  expect([one(), one()]).toEqual([false, true]);
  expect([two(), two(), two()]).toEqual([false, false, false]);
});

test('an operation with more than 500 fields is not compiled', () => {
  const use = createUse();
  const ofSize = (size: number) =>
    use(`{ viewer { ${Array.from({ length: size - 1 }, (_, at) => `a${at}: name`).join(' ')} } }`);
  const [small, large] = [ofSize(500), ofSize(501)];
  expect([small(), small()]).toEqual([false, true]);
  expect([large(), large(), large()]).toEqual([false, false, false]);
});

test('an operation with a name of more than 100 characters is not compiled', () => {
  const use = createUse();
  const named = (length: number) => use(`{ viewer { ${'a'.repeat(length)}: name } }`);
  const [usual, long] = [named(100), named(101)];
  expect([usual(), usual()]).toEqual([false, true]);
  expect([long(), long(), long()]).toEqual([false, false, false]);
});

test('plans of documents with many tokens displace older ones, so that all of them take 32 MiB', () => {
  const use = createUse();
  const uses = Array.from({ length: 200 }, (_, at) =>
    use(`query Q${at} { ...F } fragment F on Query { viewer { ${'...on App{id} '.repeat(150)} } }`),
  );
  for (const each of uses) expect([each(), each()]).toEqual([false, true]);
  const kept = uses.filter((each) => each());
  // Each has 900 tokens, of up to 480 bytes each.
  expect(kept.length).toBeGreaterThan(60);
  expect(kept.length).toBeLessThan(85);
});

test('plans with long documents displace older ones, so that all of them take 32 MiB', () => {
  const use = createUse();
  const uses = Array.from({ length: 100 }, (_, at) =>
    use(`{ viewer { name } } # ${at} ${'x'.repeat(250_000)}`),
  );
  for (const each of uses) expect([each(), each()]).toEqual([false, true]);
  const kept = uses.map((each) => each());
  // Each takes half a megabyte for its document, and a little for its plan.
  expect(kept.filter(Boolean).length).toBeGreaterThan(50);
  expect(kept.filter(Boolean).length).toBeLessThan(70);
  expect([kept.at(0), kept.at(-1)]).toEqual([false, true]);
});

test('a plan that was displaced is made again when it is used twice', () => {
  const use = createUse({ count: 1 });
  const [first, second] = [use('{ viewer { name } }'), use('{ viewer { id } }')];
  expect([first(), first(), second(), second()]).toEqual([false, true, false, true]);
  expect([first(), first(), first()]).toEqual([false, true, true]);
});

test('an operation has a plan for each combination of its conditions, up to 16', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const use = createUse()(
    `query (${names.map((name) => `$${name}: Boolean!`).join(' ')}) { viewer { ${names
      .map((name) => `${name}: name @include(if: $${name})`)
      .join(' ')} } }`,
  );
  const combinations = Array.from({ length: 32 }, (_, bits) =>
    Object.fromEntries(names.map((name, at) => [name, (bits >> at) % 2 === 1])),
  );
  const useAll = () => combinations.map((each) => use(each));
  use(combinations[0]);
  expect(useAll()).toEqual([true, ...Array(31).fill(false)]);
  expect(useAll()).toEqual([...Array(16).fill(true), ...Array(16).fill(false)]);
});

test('conditions whose variables are not valid have no plan', () => {
  const use = createUse()('query ($a: Boolean!) { viewer { name @skip(if: $a) } }');
  use({ a: true });
  expect([use({ a: 'yes' }), use({}), use({ a: null }), use({ a: true })]).toEqual([
    false,
    false,
    false,
    true,
  ]);
});
