import fc from 'fast-check';
import { assertScalarType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { schema } from '../../src/gateway/schema.ts';

const dateTime = assertScalarType(schema.getType('DateTime'));

describe('a DateTime', () => {
  test('is read as it was written, with any time zone and any number of decimals', () => {
    const instant = fc.date({
      min: new Date('0002-01-01T00:00:00Z'),
      max: new Date('9998-12-31T00:00:00Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instant, (date) => {
        expect(dateTime.parseValue(date.toISOString())).toEqual(date);
      }),
    );
    const noon = new Date('2026-06-01T12:00:00Z');
    for (const text of [
      '2026-06-01T12:00:00Z',
      '2026-06-01T12:00:00.000000Z',
      '2026-06-01T14:30:00+02:30',
      '2026-06-01T07:00:00.0-05:00',
    ]) {
      expect(dateTime.parseValue(text)).toEqual(noon);
    }
  });

  test.each([
    '',
    '1',
    '12',
    'June 5 2026',
    '2026-06-01',
    '2026-06-01T08:00:00',
    '2026-06-01 08:00:00Z',
    '2026-02-31T08:00:00Z',
    '2025-02-29T08:00:00Z',
    '2026-13-01T08:00:00Z',
    '2026-06-01T24:00:00Z',
    '2026-06-01T25:00:00Z',
    '2026-06-01T08:60:00Z',
    '2026-06-01T08:00:00+24:00',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59-23:59',
    '+275760-09-13T00:00:00Z',
    '-271821-04-20T00:00:00Z',
    7,
    null,
  ])('is not %j', (value) => {
    expect(() => dateTime.parseValue(value)).toThrow('A DateTime must be an RFC 3339 string');
  });
});

describe.each([
  [
    'Date',
    '2028-02-29',
    ['2026-99-99', '2026-02-29', '2026-1-1', '0000-01-01', '2026-11-21T00:00Z'],
  ],
  ['CurrencyCode', 'EUR', ['eur', 'EURO', 'E', '', ' EUR', 'ЕUR']],
  ['TimeZone', 'Europe/Copenhagen', ['Europe/Nowhere', '+01:00', '', 'Europe/Copenhagen ']],
  ['MinorUnits', 2 ** 53 - 1, [2 ** 53, 1.5, Number.NaN, Number.POSITIVE_INFINITY]],
])('a %s', (name, value, others) => {
  const scalar = assertScalarType(schema.getType(name));

  test('is its own result', () => {
    expect([scalar.parseValue(value), scalar.serialize(value)]).toEqual([value, value]);
  });

  test.each([...others, null, undefined, {}, ['2026-11-21']])('is not %j', (other) => {
    expect(() => scalar.parseValue(other)).toThrow(`${name} must be`);
    // Not an error of GraphQL, so clients see that the gateway has a bug.
    expect(() => scalar.serialize(other)).toThrow(TypeError);
  });
});

test.each(['0000-12-31T23:59:59Z', '+010000-01-01T00:00:00Z', 'nothing'])(
  'the date %s has no result',
  (text) => {
    expect(() => dateTime.serialize(new Date(text))).toThrow(TypeError);
  },
);
