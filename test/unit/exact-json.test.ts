import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readExactJson } from '../../src/gateway/http/exact-json.ts';
import { isExact } from '../../src/gateway/schema/exact-number.ts';

const DEPTH = 20;

/** The number that a text stands for, as a fraction with a power of ten as denominator. */
function toFraction(text: string): [numerator: bigint, zeros: number] {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  return [BigInt(whole + fraction), fraction.length - Number(exponent)];
}

function areEqual(one: string, other: string): boolean {
  const [a, zerosOfA] = toFraction(one);
  const [b, zerosOfB] = toFraction(other);
  const zeros = Math.max(zerosOfA, zerosOfB);
  return a * 10n ** BigInt(zeros - zerosOfA) === b * 10n ** BigInt(zeros - zerosOfB);
}

const digits = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: max });

const numbers = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(
      fc.constant('0'),
      digits(0, 20).map((rest) => `1${rest}`),
    ),
    fc.oneof(
      fc.constant(''),
      digits(1, 20).map((fraction) => `.${fraction}`),
    ),
    fc.oneof(
      fc.constant(''),
      fc.integer({ min: -60, max: 60 }).map((exponent) => `e${exponent}`),
    ),
  )
  .map((parts) => parts.join(''));

describe('a number is exact', () => {
  test('if JavaScript prints the same number again', () => {
    fc.assert(
      fc.property(numbers, (text) => {
        expect(isExact(text), text).toBe(areEqual(text, String(JSON.parse(text))));
      }),
      { numRuns: 5_000 },
    );
  });

  test.each([
    ['9007199254740992', true],
    ['9007199254740993', false],
    ['1e400', false],
    ['-1e400', false],
    ['0.1', true],
    ['0.10000000000000000555', false],
    ['1.50', true],
    ['0e999', true],
    ['1E2', true],
  ])('%s: %s', (text, exact) => {
    expect(isExact(text)).toBe(exact);
  });
});

test('a number of 250,000 digits is read at once', () => {
  // With a time that is quadratic in its length, this would take minutes.
  expect(isExact(`1.${'0'.repeat(250_000)}1`)).toBe(false);
  expect(isExact(`1.${'0'.repeat(250_000)}`)).toBe(true);
});

test('JSON is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), (text) => {
      const read = readExactJson(text, DEPTH);
      if (read.kind === 'INEXACT' || read.kind === 'NUL') return;
      expect(read).toEqual({ kind: 'VALUE', value: JSON.parse(text) });
    }),
    { numRuns: 2_000 },
  );
});

test('any text is either JSON or not', () => {
  const unit = fc.constantFrom(...'{}[]",:\\0-1.e nul true');
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
      const { kind } = readExactJson(text, 100);
      let isJson = true;
      try {
        JSON.parse(text);
      } catch {
        isJson = false;
      }
      expect(kind === 'NOT_JSON', text).toBe(!isJson);
    }),
    { numRuns: 20_000 },
  );
});

/** The paths of a value's members, in the form of the message. */
function pathsIn(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => pathsIn(item, `${path}[${at}]`));
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([key, item]) =>
      pathsIn(item, path === '' ? key : `${path}.${key}`),
    );
  }
  return value === 'HERE' ? [path] : [];
}

test('the path leads to the number that is not exact', () => {
  const key = fc.string({ unit: fc.constantFrom(...'ab{"\\,['), minLength: 1 });
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(1, 'x', null),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(key, tie('tree'), { maxKeys: 3 }),
    ),
  }));
  fc.assert(
    fc.property(fc.array(tree, { maxLength: 3 }), key, fc.boolean(), (before, name, inList) => {
      const marked = { before, [name]: inList ? [before, 'HERE'] : 'HERE' };
      const text = JSON.stringify(marked).replace('"HERE"', '9007199254740993');
      expect(readExactJson(text, 100)).toEqual({
        kind: 'INEXACT',
        path: pathsIn(marked)[0],
        number: '9007199254740993',
      });
    }),
    { numRuns: 2_000 },
  );
});

test('deeper levels than allowed are rejected before they are parsed', () => {
  expect(readExactJson('['.repeat(5) + ']'.repeat(5), 5)).toMatchObject({ kind: 'VALUE' });
  expect(readExactJson('['.repeat(6) + ']'.repeat(6), 5)).toEqual({ kind: 'TOO_DEEP' });
  expect(readExactJson('[[],[],[],[],[],[]]', 2)).toMatchObject({ kind: 'VALUE' });
  expect(readExactJson(`"${'['.repeat(50)}"`, 5)).toMatchObject({ kind: 'VALUE' });
});

test('U+0000 is found in texts and keys, and a backslash before u0000 is not', () => {
  expect(readExactJson('{"a":["x\\u0000"]}', 5)).toEqual({ kind: 'NUL', path: 'a[0]' });
  expect(readExactJson('{"a":"\\\\u0000"}', 5)).toMatchObject({ kind: 'VALUE' });
  expect(readExactJson('{"a":"\\\\\\u0000"}', 5)).toEqual({ kind: 'NUL', path: 'a' });
  expect(readExactJson('{"a\\u0000":1}', 5)).toMatchObject({ kind: 'NUL' });
});
