import { expect, test } from 'vitest';
import { readFlag, readList, readPromisedFlag } from '../../src/gateway/upstream/record.ts';

test.each([true, 1, '1', 'true', 'yes', 'y'])('the flag %j is true', (value) => {
  expect(readPromisedFlag({ successful: value }, 'successful')).toBe(true);
  expect(readFlag({ successful: value }, 'successful')).toBe(true);
});

test.each([false, 0, '0', 'false', 'no', 'n', ''])('the flag %j is false', (value) => {
  expect(readPromisedFlag({ successful: value }, 'successful')).toBe(false);
  expect(readFlag({ successful: value }, 'successful')).toBe(false);
});

test('an absent flag is false, unless the service promises it', () => {
  expect(readFlag({}, 'successful')).toBe(false);
  expect(() => readPromisedFlag({}, 'successful')).toThrow(
    expect.objectContaining({ message: '`successful` is missing', missing: true }),
  );
  expect(() => readPromisedFlag({ successful: null }, 'successful')).toThrow(
    expect.objectContaining({ message: '`successful` is not valid', missing: false }),
  );
});

test('a list must be an array', () => {
  expect(readList({ trail: [1] }, 'trail')).toEqual([1]);
  expect(() => readList({}, 'trail')).toThrow(expect.objectContaining({ missing: true }));
  for (const trail of [null, {}, 'x']) {
    expect(() => readList({ trail }, 'trail')).toThrow(expect.objectContaining({ missing: false }));
  }
});
