import { currencies } from '../../currencies.ts';
import { MAX_AMOUNT } from '../http/fields.ts';

/**
 * Parses an amount in major units exactly: digits, and up to as many decimals as the currency
 * has. Returns `undefined` for any other text, for zero and for more than twelve digits.
 *
 * @param separators the characters that are accepted as decimal separator
 */
export function toMinorUnits(
  text: string,
  currency: string,
  separators: '.' | '.,',
): number | undefined {
  const exponent = currencies.get(currency)?.exponent ?? 2;
  const [, whole, fraction = ''] =
    new RegExp(`^(\\d{1,15})(?:[${separators}](\\d{1,4}))?$`).exec(text.trim()) ?? [];
  if (whole === undefined || fraction.length > exponent) return undefined;
  const minorUnits = BigInt(whole + fraction.padEnd(exponent, '0'));
  return minorUnits > 0n && minorUnits <= MAX_AMOUNT ? Number(minorUnits) : undefined;
}

/**
 * Formats an amount for a locale, with all decimals of the currency. A double holds 15 digits and
 * an amount has at most 12, so the result is exact.
 */
export function showAmount(minorUnits: number, currency: string, locale: string): string {
  const exponent = currencies.get(currency)?.exponent ?? 2;
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
    minimumFractionDigits: exponent,
    maximumFractionDigits: exponent,
  }).format(minorUnits / 10 ** exponent);
}
