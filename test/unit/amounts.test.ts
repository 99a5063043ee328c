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
  [1000, 'JPY', 'JPY 1000'],
  [0, 'JPY', 'JPY 0'],
  [1000, 'KWD', 'KWD 1'],
  [1, 'KWD', 'KWD 0.001'],
  [999_999_999_999, 'EUR', 'EUR 9999999999.99'],
])('%i minor units of %s are "%s"', (amount, currency, words) => {
  expect(formatAmount(amount, currency)).toBe(words);
});

test('the words always mean the amount, in the fewest digits', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 999_999_999_999 }),
      fc.constantFrom(...currencies.values()),
      (amount, { code, exponent }) => {
        const words = formatAmount(amount, code);
        expect(words).toMatch(/^[A-Z]{3} (0|[1-9]\d*)(\.\d*[1-9])?$/);
        const [whole = '', fraction = ''] = words.slice(4).split('.');
        expect(Number(whole + fraction.padEnd(exponent, '0'))).toBe(amount);
      },
    ),
  );
});

const counters = { amount: 1000, captured: 400, refunded: 100, voided: 200, error_code: null };

test('what is neither captured nor voided is pending, whatever is refunded', () => {
  expect(pendingOf(counters)).toBe(400);
  expect(pendingOf({ ...counters, refunded: 400 })).toBe(400);
});

test('nothing of a failed payment is pending', () => {
  expect(pendingOf({ ...counters, captured: 0, refunded: 0, voided: 0, error_code: 7 })).toBe(0);
});

test('what is captured and not refunded can be refunded, whatever is voided', () => {
  expect(refundableOf(counters)).toBe(300);
  expect(refundableOf({ ...counters, voided: 600 })).toBe(300);
});
