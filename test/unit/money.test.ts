import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { currencies } from '../../src/currencies.ts';
import { formatMoney, toDecimal } from '../../src/gateway/schema/amount.ts';

const LARGEST = Number.MAX_SAFE_INTEGER;

describe('an amount', () => {
  test.each([
    [995, 'EUR', '9.95'],
    [100, 'EUR', '1.00'],
    [99, 'EUR', '0.99'],
    [5, 'EUR', '0.05'],
    [0, 'EUR', '0.00'],
    [-1, 'EUR', '-0.01'],
    [-995, 'EUR', '-9.95'],
    [1000, 'JPY', '1000'],
    [0, 'JPY', '0'],
    [-7, 'JPY', '-7'],
    [1, 'KWD', '0.001'],
    [1234, 'KWD', '1.234'],
    [LARGEST, 'EUR', '90071992547409.91'],
  ])('of %i minor units of %s is %s', (minorUnits, currency, decimal) => {
    expect(toDecimal({ minorUnits, currency })).toBe(decimal);
    expect(formatMoney({ minorUnits, currency })).toBe(`${decimal} ${currency}`);
  });

  test('of a currency that is not in the list has no decimal', () => {
    const money = { minorUnits: 995, currency: 'XXX' };
    expect(toDecimal(money)).toBeNull();
    expect(formatMoney(money)).toBe('995 minor units of XXX');
  });

  test('has a decimal with the digits of the currency, and the same value', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -LARGEST, max: LARGEST }),
        fc.constantFrom(...currencies.values()),
        (minorUnits, { code, exponent }) => {
          const decimal = toDecimal({ minorUnits, currency: code }) ?? '';
          expect(decimal).toMatch(/^-?(0|[1-9]\d*)(\.\d+)?$/);
          expect(decimal.split('.')[1]?.length ?? 0).toBe(exponent);
          expect(Number(decimal.replace('.', ''))).toBe(minorUnits);
        },
      ),
    );
  });
});
