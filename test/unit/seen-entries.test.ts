import { expect, test } from 'vitest';
import type { EntryIdentity } from '../../src/gateway/money/engine/operation.ts';
import { leavesEachOne } from '../../src/gateway/money/engine/snapshot.ts';

/** Entries with these lines. */
const entries = (lines: string): EntryIdentity[] =>
  [...lines].map((line) => ({ line, properties: `entry ${line}` }));

test.each([
  [[], '', true],
  [['a'], '', true],
  [['a'], 'a', false],
  [['ab'], 'a', true],
  [['ab', 'ab'], '', true],
  [['ab', 'ab'], 'a', false],
  // The first takes a, and has to leave it to the second.
  [['ab', 'a'], '', true],
  [['ab', 'bc', 'a', 'cd'], '', true],
  [['ab', 'bc', 'a', 'c'], '', false],
  [['abc', 'abc', 'abc'], '', true],
  [['abc', 'abc', 'abc'], 'b', false],
])(
  'operations that have seen %j, of which "%s" are taken, can each have one: %s',
  (seen, taken, expected) => {
    expect(leavesEachOne(seen.map(entries), entries(taken))).toBe(expected);
  },
);

test('an entry without a line is the same as one with a line and the same properties', () => {
  const [withLine = { line: null, properties: null }] = entries('a');
  const withoutLine = { ...withLine, line: null };
  expect(leavesEachOne([[withLine], [withoutLine]], [])).toBe(false);
  expect(leavesEachOne([[withLine]], [withoutLine])).toBe(false);
});
