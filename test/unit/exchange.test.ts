import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { currencies } from '../../src/currencies.ts';
import { refundShare } from '../../src/sandbox/payments/amounts.ts';
import {
  disputeFee,
  divideRounded,
  exchange,
  flatFee,
  rateFee,
} from '../../src/sandbox/payments/exchange.ts';

const MAX_AMOUNT = 999_999_999_999;
const funding = [
  'BGN',
  'CHF',
  'CZK',
  'DKK',
  'EUR',
  'GBP',
  'HUF',
  'NOK',
  'PLN',
  'RON',
  'SEK',
  'USD',
];

const anyFunding = fc.constantFrom(...funding);
const anyCurrency = fc.constantFrom(...currencies.keys());

/** The gross amount, flat fee, percentage fee and balance of a capture. */
function captured(amount: number, currency: string, account: string): number[] {
  const gross = exchange(amount, currency, account);
  const [flat, rate] = [flatFee(account), rateFee(gross)];
  return [gross, flat, rate, gross - flat - rate];
}

test.each([
  ['EUR 5 in DKK', 500, 'EUR', 'DKK', [3731, 187, 93, 3451]],
  ['EUR 10 in EUR', 1000, 'EUR', 'EUR', [1000, 25, 25, 950]],
  ['JPY 1000 in EUR (where 15.5 is rounded to 16)', 1000, 'JPY', 'EUR', [620, 25, 16, 579]],
  ['KWD 1 in EUR', 1000, 'KWD', 'EUR', [300, 25, 8, 267]],
  ['EUR 3 in HUF', 300, 'EUR', 'HUF', [120_000, 10_000, 3_000, 107_000]],
])('a capture of %s has exact fees', (_, amount, currency, account, expected) => {
  expect(captured(amount, currency, account)).toEqual(expected);
});

test('two refunds of EUR 5 on an account in DKK have exact shares', () => {
  const totals = { captured: 500, gross: 3731, rate: 93, grossTaken: 0, rateReturned: 0 };
  expect(refundShare(totals, 333)).toEqual({ taken: 2485, returned: 62 });
  expect(refundShare({ ...totals, grossTaken: 2485, rateReturned: 62 }, 500)).toEqual({
    taken: 1246,
    returned: 31,
  });
});

test('a refund that rounding gives less than nothing takes nothing and returns nothing', () => {
  const totals = { captured: 1000, gross: 1000, rate: 100, grossTaken: 501, rateReturned: 51 };
  expect(refundShare(totals, 500)).toEqual({ taken: 0, returned: 0 });
});

test('a lost dispute over EUR 5 costs DKK 149.25', () => {
  expect(0 - exchange(500, 'EUR', 'DKK') - disputeFee('DKK')).toBe(-14_925);
});

test.each([
  ['BGN', 49, 2_934],
  ['CHF', 24, 1_442],
  ['CZK', 625, 37_500],
  ['DKK', 187, 11_194],
  ['EUR', 25, 1_500],
  ['GBP', 21, 1_282],
  ['HUF', 10_000, 600_000],
  ['NOK', 291, 17_442],
  ['PLN', 108, 6_466],
  ['RON', 124, 7_463],
  ['SEK', 284, 17_045],
  ['USD', 27, 1_630],
])('an account in %s has these fees', (account, flat, dispute) => {
  expect([flatFee(account), disputeFee(account)]).toEqual([flat, dispute]);
});

test('the table of fees contains every funding currency', () => {
  const listed = [...currencies.values()].filter((currency) => currency.funding);
  expect(listed.map(({ code }) => code).sort()).toEqual(funding);
});

test('one unit of a currency without its own rate is a tenth of a euro', () => {
  expect(exchange(1_000, 'AED', 'EUR')).toBe(100); // 2 decimals
  expect(exchange(1_000, 'KRW', 'EUR')).toBe(10_000); // 0 decimals
  expect(exchange(1_000, 'BHD', 'EUR')).toBe(10); // 3 decimals
  expect(exchange(1_000, 'XXX', 'EUR')).toBe(100); // not in the list: 2 decimals
  expect(exchange(1_000, 'EUR', 'XXX')).toBe(10_000);
});

describe('rounding', () => {
  test.each([
    [5n, 2n, 3n],
    [1n, 2n, 1n],
    [1n, 3n, 0n],
    [4n, 3n, 1n],
    [5n, 3n, 2n],
    [6n, 3n, 2n],
    [0n, 7n, 0n],
  ])('rounds %i / %i to %i, half up', (dividend, divisor, quotient) => {
    expect(divideRounded(dividend, divisor)).toBe(quotient);
  });

  test('differs from the exact quotient by at most a half', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n }), fc.bigInt({ min: 1n }), (dividend, divisor) => {
        const off = 2n * (divideRounded(dividend, divisor) * divisor - dividend);
        return off <= divisor && -off < divisor;
      }),
    );
  });
});

test('an amount in the funding currency is not exchanged', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: MAX_AMOUNT }), anyCurrency, (amount, currency) => {
      expect(exchange(amount, currency, currency)).toBe(amount);
    }),
  );
});

test('the largest amount is a safe integer in every pair of currencies', () => {
  fc.assert(
    fc.property(anyCurrency, anyFunding, (currency, account) => {
      const gross = exchange(MAX_AMOUNT, currency, account);
      expect(Number.isSafeInteger(gross) && gross >= 0).toBe(true);
    }),
  );
});

/** Captures and refunds, each as a percentage of the amount that is available for it. */
const steps = fc.array(
  fc.record({
    kind: fc.constantFrom('capture', 'refund'),
    share: fc.integer({ min: 1, max: 100 }),
  }),
  { minLength: 1, maxLength: 30 },
);

test('refunding the complete amount, in any steps, costs exactly the flat fees', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: MAX_AMOUNT }),
      anyCurrency,
      anyFunding,
      steps,
      (amount, currency, account, moves) => {
        const totals = { captured: 0, gross: 0, rate: 0, grossTaken: 0, rateReturned: 0 };
        let [refunded, flatFees, balance] = [0, 0, 0];
        const partOf = (available: number, share: number) => Math.ceil((available * share) / 100);

        function refund(part: number): void {
          refunded += part;
          const { taken, returned } = refundShare(totals, refunded);
          expect(taken >= 0 && returned >= 0).toBe(true);
          totals.grossTaken += taken;
          totals.rateReturned += returned;
          balance += returned - taken;
        }
        for (const { kind, share } of moves) {
          if (kind === 'capture' && totals.captured < amount) {
            const part = partOf(amount - totals.captured, share);
            const [gross = 0, flat = 0, rate = 0, effect = 0] = captured(part, currency, account);
            totals.captured += part;
            totals.gross += gross;
            totals.rate += rate;
            flatFees += flat;
            balance += effect;
          } else if (kind === 'refund' && refunded < totals.captured) {
            refund(partOf(totals.captured - refunded, share));
          }
        }
        if (refunded < totals.captured) refund(totals.captured - refunded);
        expect(balance).toBe(0 - flatFees);
      },
    ),
    { numRuns: 500 },
  );
});
