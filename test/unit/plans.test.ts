import { getOperationAST, parse } from 'graphql';
import { expect, test } from 'vitest';
import { createPlans } from '../../src/gateway/document/plans.ts';
import { schema } from '../../src/gateway/schema.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** Uses an operation that may be compiled. */
function createUse() {
  const plans = createPlans(schema, { isEnabled: true, count: 200 });
  return (text: string) => {
    const document = parse(text);
    const operation = getOperationAST(document);
    if (!operation) throw new Error('no operation');
    return () => plans.find(document, operation) !== undefined;
  };
}

/** Uses an operation until it is compiled, if it ever is. */
async function isCompiled(use: () => boolean): Promise<boolean> {
  use();
  use();
  await nextTurn();
  return use();
}

test('an operation with more than 300 selections is not compiled', async () => {
  const use = createUse();
  const ofSize = (size: number) =>
    `{ viewer { ${Array.from({ length: size - 1 }, (_, at) => `a${at}: name`).join(' ')} } }`;
  expect(await isCompiled(use(ofSize(300)))).toBe(true);
  expect(await isCompiled(use(ofSize(301)))).toBe(false);
});

test('plans with long documents displace older ones, so that all of them take 24 MiB', async () => {
  const use = createUse();
  const uses = Array.from({ length: 60 }, (_, at) =>
    use(`{ viewer { name } } # ${at} ${'x'.repeat(250_000)}`),
  );
  for (const each of uses) expect(await isCompiled(each)).toBe(true);
  const kept = uses.filter((each) => each());
  // Each takes half a megabyte for its document, and a little for its plan.
  expect(kept.length).toBeGreaterThan(30);
  expect(kept.length).toBeLessThan(50);
  expect(kept.at(-1)).toBe(uses.at(-1));
});

test('at most 16 operations wait to be compiled, and the others are compiled when they are used again', async () => {
  const use = createUse();
  const uses = Array.from({ length: 20 }, () => use('{ viewer { name } }'));
  for (const each of uses) each();
  for (const each of uses) each();
  for (const _ of uses) await nextTurn();
  const first = uses.map((each) => each());
  expect(first).toEqual([...Array(16).fill(true), ...Array(4).fill(false)]);
  for (const _ of uses) await nextTurn();
  expect(uses.map((each) => each())).toEqual(Array(20).fill(true));
});
