import { currencies } from '../../currencies.ts';

/** Twelve digits of minor units, as a card message holds them. */
const MAX_MINOR_UNITS = 999_999_999_999n;

/**
 * Reads major units exactly: digits, and at most as many decimals as the currency has.
 * `undefined` for anything else, for zero, and for more than a card message holds.
 *
 * @param separators characters that may stand for the decimal point
 */
export function toMinorUnits(
  text: string,
  currency: string,
  separators: '.' | '.,',
): number | undefined {
  const exponent = currencies.get(currency)?.exponent ?? 2;
  const [, whole, fraction = ''] =
    new RegExp(`^(\\d{1,15})(?:[${separators}](\\d{1,3}))?$`).exec(text.trim()) ?? [];
  if (whole === undefined || fraction.length > exponent) return undefined;
  const minorUnits = BigInt(whole + fraction.padEnd(exponent, '0'));
  return minorUnits > 0n && minorUnits <= MAX_MINOR_UNITS ? Number(minorUnits) : undefined;
}

/** An amount as people of a locale write it, with as many decimals as the currency has. */
export function showAmount(minorUnits: number, currency: string, locale: string): string {
  const exponent = currencies.get(currency)?.exponent ?? 2;
  const digits = String(minorUnits).padStart(exponent + 1, '0');
  const major = `${digits.slice(0, digits.length - exponent)}.${digits.slice(digits.length - exponent) || '0'}`;
  return new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
    minimumFractionDigits: exponent,
    maximumFractionDigits: exponent,
  }).format(major as unknown as number); // exact: a text is not rounded through a Number
}
