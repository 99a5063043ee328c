import fc from 'fast-check';
import { expect, test } from 'vitest';
import { currencies } from '../../src/currencies.ts';
import { formatAmount, pendingOf, refundableOf } from '../../src/sandbox/payments/amounts.ts';

test.each([
  [0, 'EUR', 'EUR 0'],
  [500, 'EUR', 'EUR 5'],
  [550, 'EUR', 'EUR 5.5'],
  [1234, 'EUR', 'EUR 12.34'],
  [5, 'EUR', 'EUR 0.05'],
  [-5, 'EUR', 'EUR -0.05'],
  [1000, 'JPY', 'JPY 1000'],
  [0, 'JPY', 'JPY 0'],
  [1000, 'KWD', 'KWD 1'],
  [1, 'KWD', 'KWD 0.001'],
  [999_999_999_999, 'EUR', 'EUR 9999999999.99'],
  [1234, 'XXX', 'XXX 12.34'], // not in the list: two decimals
])('%i minor units of %s are formatted as "%s"', (amount, currency, text) => {
  expect(formatAmount(amount, currency)).toBe(text);
});

test('a formatted amount is exact and has no trailing zeros', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 999_999_999_999 }),
      fc.constantFrom(...currencies.values()),
      (amount, { code, exponent }) => {
        const text = formatAmount(amount, code);
        expect(text).toMatch(/^[A-Z]{3} (0|[1-9]\d*)(\.\d*[1-9])?$/);
        const [whole = '', fraction = ''] = text.slice(4).split('.');
        expect(Number(whole + fraction.padEnd(exponent, '0'))).toBe(amount);
      },
    ),
  );
});

const counters = { amount: 1000, captured: 400, refunded: 100, voided: 200, error_code: null };

test('the pending amount is neither captured nor voided, and does not depend on refunds', () => {
  expect(pendingOf(counters)).toBe(400);
  expect(pendingOf({ ...counters, refunded: 400 })).toBe(400);
});

test('the pending amount of a failed payment is 0', () => {
  expect(pendingOf({ ...counters, captured: 0, refunded: 0, voided: 0, error_code: 7 })).toBe(0);
});

test('the refundable amount is captured and not refunded, and does not depend on voids', () => {
  expect(refundableOf(counters)).toBe(300);
  expect(refundableOf({ ...counters, voided: 600 })).toBe(300);
});
