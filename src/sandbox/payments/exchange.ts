import { currencies } from '../../currencies.ts';

/**
 * Made-up exchange rates: millionths of a euro for one major unit. They never change, so that
 * tests can compute exact amounts.
 */
const rates: Readonly<Record<string, bigint>> = {
  BGN: 511_292n,
  CHF: 1_040_000n,
  CZK: 40_000n,
  DKK: 134_000n,
  EUR: 1_000_000n,
  GBP: 1_170_000n,
  HUF: 2_500n,
  JPY: 6_200n,
  KWD: 3_000_000n,
  NOK: 86_000n,
  PLN: 232_000n,
  RON: 201_000n,
  SEK: 88_000n,
  USD: 920_000n,
};
const OTHER_RATE = 100_000n;

/** Divides a number that is not negative by a positive number, and rounds half up. */
export function divideRounded(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}

function scale(code: string): bigint {
  return 10n ** BigInt(currencies.get(code)?.exponent ?? 2);
}

/** Converts minor units of one currency to minor units of another. */
export function exchange(amount: number, from: string, to: string): number {
  const rateFrom = rates[from] ?? OTHER_RATE;
  const rateTo = rates[to] ?? OTHER_RATE;
  return Number(divideRounded(BigInt(amount) * rateFrom * scale(to), rateTo * scale(from)));
}

/** Returns the flat fee of a capture: 25 euro cents, in minor units of the funding currency. */
export function flatFee(funding: string): number {
  return exchange(25, 'EUR', funding);
}

/** Returns the fee of a lost dispute: 15 euros, in minor units of the funding currency. */
export function disputeFee(funding: string): number {
  return exchange(1500, 'EUR', funding);
}

/** Returns the percentage fee of a capture: 2.5 % of the captured amount. */
export function rateFee(gross: number): number {
  return Number(divideRounded(BigInt(gross) * 25n, 1000n));
}
