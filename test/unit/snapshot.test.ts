import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  movementKinds,
  type SnapshotEntry,
  type TrailSnapshot,
} from '../../src/gateway/money/engine/operation.ts';
import {
  addedEntries,
  entriesLike,
  isSameEntry,
  newEntries,
  without,
} from '../../src/gateway/money/engine/snapshot.ts';

function entry(name: string, kind: SnapshotEntry['kind'], amount: number): SnapshotEntry {
  return { line: `line ${name}`, properties: `properties ${name}`, kind, amount };
}

function snapshotOf(trail: readonly SnapshotEntry[]): TrailSnapshot {
  return {
    amount: 1000,
    pendingAmount: 1000,
    capturedAmount: 0,
    refundedAmount: 0,
    voidedAmount: 0,
    trail,
  };
}

const wanted = { kind: 'CAPTURE', amount: 100 } as const;
const alike = entry('a', 'CAPTURE', 100);
const others = [
  entry('b', 'REFUND', 100),
  entry('c', 'CAPTURE', 99),
  entry('d', 'VOID', 100),
  entry('e', null, 100),
];

test('entries are alike if both kind and amount are', () => {
  expect(entriesLike(wanted, [...others, alike])).toEqual([alike]);
  expect(entriesLike(wanted, others)).toEqual([]);
});

describe('two reads show the same entry', () => {
  test.each([
    [true, { line: '1', properties: 'p' }, { line: '1', properties: 'q' }],
    [false, { line: '1', properties: 'p' }, { line: '2', properties: 'p' }],
    [true, { line: null, properties: 'p' }, { line: '2', properties: 'p' }],
    [true, { line: '1', properties: 'p' }, { line: null, properties: 'p' }],
    [true, { line: null, properties: 'p' }, { line: null, properties: 'p' }],
    [false, { line: null, properties: 'p' }, { line: null, properties: 'q' }],
    [true, { line: '1', properties: null }, { line: '1', properties: 'p' }],
    [false, { line: '1', properties: null }, { line: null, properties: 'p' }],
    [false, { line: '1', properties: null }, { line: null, properties: null }],
  ])('%j of %j and %j', (same, one, other) => {
    expect(isSameEntry(one, other)).toBe(same);
    expect(isSameEntry(other, one)).toBe(same);
  });
});

test('entries are left out by their line, or by their properties', () => {
  const byLine = { line: alike.line, properties: null };
  const byProperties = { line: null, properties: 'properties b' };
  expect(without([alike, ...others], [byLine, byProperties])).toEqual(others.slice(1));
  expect(without([alike], [])).toEqual([alike]);
});

test('entries are left out exactly if one of the others is the same', () => {
  const name = fc.constantFrom('a', 'b', 'c', null);
  const identities = fc.array(fc.record({ line: name, properties: name }), { maxLength: 4 });
  fc.assert(
    fc.property(identities, identities, (entries, left) => {
      const expected = entries.filter((each) => !left.some((other) => isSameEntry(each, other)));
      expect(without(entries, left)).toEqual(expected);
    }),
    { numRuns: 5_000 },
  );
});

describe('the new entries', () => {
  const later = entry('f', 'CAPTURE', 100);
  const last = entry('g', 'CAPTURE', 100);
  const withoutLine = { ...alike, line: null };

  test.each([
    ['nothing was added', [alike], [alike], [], []],
    ['only others were added', [], others, [], []],
    ['one was added to an empty trail', [], [alike], [alike], [alike]],
    ['one was added to one like it', [alike], [alike, later], [later], [later]],
    ['two were added', [alike], [alike, later, last], [later, last], [later, last]],
    ['one was added between others', others, [...others, later], [later], [later]],
    ['the only one has a line now', [withoutLine], [alike], [], []],
    ['one was added and the other has a line now', [withoutLine], [alike, later], [later], [later]],
    ['the only one has other properties now', [alike], [later], [], [later]],
    ['there are fewer than before', [alike, later], [last], [], [last]],
    ['none is there any more', [alike], [], [], []],
  ])('if %s', (_, before, now, counted, added) => {
    expect(newEntries(wanted, snapshotOf(before), now)).toEqual(counted);
    expect(addedEntries(wanted, snapshotOf(before), now)).toEqual(added);
  });

  test('are the added entries that are alike, if nothing identifies an entry in another way', () => {
    const anyEntry = fc.record({
      kind: fc.constantFrom(...movementKinds, null),
      amount: fc.constantFrom(99, 100),
    });
    fc.assert(
      fc.property(fc.array(anyEntry), fc.array(anyEntry), (before, added) => {
        const named = [...before, ...added].map(({ kind, amount }, index) =>
          entry(String(index), kind, amount),
        );
        const snapshot = snapshotOf(named.slice(0, before.length));
        const expected = named
          .slice(before.length)
          .filter(({ kind, amount }) => kind === 'CAPTURE' && amount === 100);
        expect(newEntries(wanted, snapshot, named)).toEqual(expected);
        expect(addedEntries(wanted, snapshot, named)).toEqual(expected);
      }),
    );
  });
});
