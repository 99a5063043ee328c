import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { movementKinds } from '../../src/gateway/operation/operation.ts';
import {
  candidateEntries,
  entriesLike,
  type SnapshotEntry,
  type TrailSnapshot,
} from '../../src/gateway/operation/snapshot.ts';

function entry(ref: string, kind: SnapshotEntry['kind'], amount: number): SnapshotEntry {
  return { ref, kind, amount };
}

function snapshotOf(trail: readonly SnapshotEntry[]): TrailSnapshot {
  return { amount: 1000, pendingAmount: 1000, trail };
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

describe('the candidates', () => {
  const later = entry('f', 'CAPTURE', 100);
  const last = entry('g', 'CAPTURE', 100);

  test.each([
    ['nothing was added', [alike], [alike], []],
    ['only others were added', [], others, []],
    ['one was added to an empty trail', [], [alike], [alike]],
    ['one was added to one like it', [alike], [alike, later], [later]],
    ['two were added', [alike], [alike, later, last], [later, last]],
    ['one was added between others', others, [...others, later], [later]],
    ['the only one has another reference now', [alike], [later], []],
    ['one was added and the other has another reference', [alike], [later, last], [later, last]],
    ['there are fewer than before', [alike, later], [last], []],
    ['none is there any more', [alike], [], []],
  ])('if %s', (_, before, now, candidates) => {
    expect(candidateEntries(wanted, snapshotOf(before), now)).toEqual(candidates);
  });

  test('are the added entries that are alike, if no reference changes', () => {
    const anyEntry = fc.record({
      kind: fc.constantFrom(...movementKinds, null),
      amount: fc.constantFrom(99, 100),
    });
    fc.assert(
      fc.property(fc.array(anyEntry), fc.array(anyEntry), (before, added) => {
        const named = [...before, ...added].map((it, index) => ({ ref: `line-${index}`, ...it }));
        const snapshot = snapshotOf(named.slice(0, before.length));
        const expected = named
          .slice(before.length)
          .filter(({ kind, amount }) => kind === 'CAPTURE' && amount === 100);
        expect(candidateEntries(wanted, snapshot, named)).toEqual(expected);
      }),
    );
  });
});
