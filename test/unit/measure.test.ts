import fc from 'fast-check';
import { type FieldNode, Kind, parse, type SelectionSetNode } from 'graphql';
import { expect, test } from 'vitest';
import { measureOperations } from '../../src/gateway/execution/documents/measure.ts';

const FRAGMENTS = 4;

/** Selection sets that may spread fragments with a number of at least `from`. */
const selections = (from: number, depth: number): fc.Arbitrary<string> =>
  fc
    .array(selection(from, depth), { minLength: 1, maxLength: 3 })
    .map((parts) => `{ ${parts.join(' ')} }`);

function selection(from: number, depth: number): fc.Arbitrary<string> {
  const directive = fc.constantFrom('', '', '@skip(if: false)');
  const leaf: fc.Arbitrary<string> = fc.constantFrom('a', 'b', 'x: a', 'pay');
  const options = [leaf];
  if (from < FRAGMENTS) {
    options.push(fc.integer({ min: from, max: FRAGMENTS - 1 }).map((at) => `...F${at}`));
  }
  if (depth > 0) {
    const set = selections(from, depth - 1);
    options.push(fc.tuple(leaf, set).map(([name, inner]) => `${name} ${inner}`));
    options.push(set.map((inner) => `... on T ${inner}`));
  }
  return fc.tuple(fc.oneof(...options), directive).map(([text, mark]) => withMark(text, mark));
}

/** A directive comes before the selection set. */
function withMark(text: string, mark: string): string {
  const at = text.indexOf('{');
  return at === -1 ? `${text} ${mark}` : `${text.slice(0, at)} ${mark} ${text.slice(at)}`;
}

const documents = fc
  .tuple(selections(0, 3), ...Array.from({ length: FRAGMENTS }, (_, at) => selections(at + 1, 2)))
  .map(([operation, ...fragments]) =>
    [operation, ...fragments.map((set, at) => `fragment F${at} on T ${set}`)].join('\n'),
  );

/** Expands every fragment where it is spread, and counts. */
function count(text: string) {
  const { definitions } = parse(text);
  let aliases = 0;
  let directives = 0;
  const setOf = (name: string) => {
    const found = definitions.find(
      (one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === name,
    );
    if (found?.kind !== Kind.FRAGMENT_DEFINITION) throw new Error(name);
    return found.selectionSet;
  };
  const expand = (set: SelectionSetNode): FieldNode[] =>
    set.selections.flatMap((one) => {
      directives += one.directives?.length ?? 0;
      if (one.kind === Kind.FRAGMENT_SPREAD) return expand(setOf(one.name.value));
      if (one.kind === Kind.INLINE_FRAGMENT) return expand(one.selectionSet);
      if (one.alias !== undefined) aliases++;
      return [one];
    });
  const depthOf = (set: SelectionSetNode | undefined): number =>
    set === undefined
      ? 0
      : Math.max(0, ...expand(set).map((field) => 1 + depthOf(field.selectionSet)));
  const [operation] = definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation');
  const depth = depthOf(operation.selectionSet);
  const counted = { depth, aliases, directives };
  const root = expand(operation.selectionSet);
  return {
    ...counted,
    rootFields: root.length,
    moneyFields: root.filter(({ name }) => name.value === 'pay').length,
  };
}

test('an operation is measured as if its fragments were expanded', () => {
  fc.assert(
    fc.property(documents, (text) => {
      expect(measureOperations(parse(text), (name) => name === 'pay')).toEqual([count(text)]);
    }),
    { numRuns: 2_000 },
  );
});
