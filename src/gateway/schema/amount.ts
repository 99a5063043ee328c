import { GraphQLError } from 'graphql';
import { currencies } from '../../currencies.ts';

/** An amount with its currency. */
export interface Money {
  readonly minorUnits: number;
  readonly currency: string;
}

/** Number of digits after the decimal point; undefined if the currency is not in the list. */
export function exponentOf(currency: string): number | undefined {
  return currencies.get(currency)?.exponent;
}

/**
 * The amount as an exact decimal string, without symbol or grouping: 995 EUR is `9.95`. Null if the
 * currency is not in the list.
 */
export function toDecimal({ minorUnits, currency }: Money): string | null {
  const exponent = exponentOf(currency);
  if (exponent === undefined) return null;
  const digits = String(Math.abs(minorUnits)).padStart(exponent + 1, '0');
  const integer = digits.slice(0, digits.length - exponent);
  const fraction = digits.slice(digits.length - exponent);
  return `${minorUnits < 0 ? '-' : ''}${integer}${fraction === '' ? '' : `.${fraction}`}`;
}

/** Formats an amount for people: `9.95 EUR`. */
export function formatMoney(money: Money): string {
  const { minorUnits, currency } = money;
  return `${toDecimal(money) ?? `${minorUnits} minor units of`} ${currency}`;
}

/** Converts a sum to an amount. Throws if it is too large to be exact in JSON. */
export function toExactMoney(sum: bigint, currency: string): Money {
  const minorUnits = Number(sum);
  if (Number.isSafeInteger(minorUnits)) return { minorUnits, currency };
  throw new GraphQLError(
    `The sum of ${sum} minor units is too large to be exact. Sum fewer records.`,
    { extensions: { code: 'SUM_TOO_LARGE' } },
  );
}
