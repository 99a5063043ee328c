import fc from 'fast-check';
import { expect, test } from 'vitest';
import { placeItems, UnsoundListError } from '../../src/gateway/replica/place-items.ts';

/** A list of which the replica has some items, at the places that it once gave them. */
const lists = fc
  .uniqueArray(fc.integer({ min: 0, max: 500 }), { minLength: 1, maxLength: 40 })
  .chain((ids) =>
    fc.record({
      ids: fc.constant(ids.map(String)),
      known: fc.array(fc.boolean(), { minLength: ids.length, maxLength: ids.length }),
      gaps: fc.array(fc.double({ min: 0.001, max: 10, noNaN: true }), {
        minLength: ids.length,
        maxLength: ids.length,
      }),
      direction: fc.constantFrom<1 | -1>(1, -1),
      cut: fc.nat(ids.length),
    }),
  );

test('new items get places between their neighbors, and known ones keep theirs', () => {
  fc.assert(
    fc.property(lists, ({ ids, known, gaps, direction, cut }) => {
      let last = 0;
      const places = ids.map((_, index) => {
        last += direction * (gaps[index] ?? 1);
        return last;
      });
      const stored = ids
        .map((id, index) => ({ id, position: places[index] ?? 0 }))
        .filter((_, index) => known[index]);
      const page = ids.slice(0, cut);
      const { positions, missing } = placeItems(page, stored, 0, direction);
      expect([...positions.keys()].toSorted()).toEqual(page.toSorted());
      for (const { id, position } of stored) {
        if (page.includes(id)) expect(positions.get(id)).toBe(position);
      }
      const all = new Map([
        ...stored.map(({ id, position }) => [id, position] as const),
        ...positions,
      ]);
      const order = [...all].toSorted(([, one], [, other]) => (one - other) * direction);
      expect(order.map(([id]) => id)).toEqual(ids.filter((id) => all.has(id)));
      expect(new Set(all.values()).size).toBe(all.size);
      expect(missing).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
});

test('an item that the response does not have between two others is missing', () => {
  const known = ['a', 'b', 'c', 'd'].map((id, index) => ({ id, position: 9 - index }));
  expect(placeItems(['a', 'c'], known, 10, -1)).toEqual({
    positions: new Map([
      ['a', 9],
      ['c', 7],
    ]),
    missing: ['b'],
  });
});

test('a list that repeats an item, or changes its order, is unsound', () => {
  const known = ['a', 'b'].map((id, index) => ({ id, position: -index }));
  expect(() => placeItems(['a', 'a'], known, 1, -1)).toThrow(UnsoundListError);
  expect(() => placeItems(['b', 'a'], known, 1, -1)).toThrow(UnsoundListError);
  expect(() => placeItems(['a'], known, -1, -1)).toThrow(UnsoundListError);
});
