/** An amount of the gateway. It has no exponent if its currency is not known. */
export interface Amount {
  readonly minorUnits: number;
  readonly currency: string;
  readonly exponent: number | null;
}

/** An amount for people: `EUR 1,234.50`. It is formatted from text, so no digit is lost. */
export function showAmount(amount: Amount | null | undefined): string {
  if (!amount) return 'unknown';
  const { minorUnits, currency, exponent } = amount;
  const { format } = new Intl.NumberFormat('en', { minimumFractionDigits: exponent ?? 0 });
  if (exponent === null) return `${format(minorUnits)} minor units of ${currency}`;
  return `${currency} ${format(`${minorUnits}e-${exponent}` as `${number}`)}`;
}

/** What a person types, in minor units: with two decimals, `12.5` and `12,50` are 1250. */
export function toMinorUnits(text: string, exponent: number | null): number | undefined {
  const [, whole, fraction = ''] = /^(\d+)(?:[.,](\d+))?$/.exec(text.trim()) ?? [];
  if (whole === undefined || fraction.length > (exponent ?? 0)) return undefined;
  // Digits are put together, not multiplied: 1.13 * 100 is 112.99999999999999.
  const minorUnits = Number(whole + fraction.padEnd(exponent ?? 0, '0'));
  return Number.isSafeInteger(minorUnits) && minorUnits > 0 ? minorUnits : undefined;
}

/** The sum of amounts of one currency. It is unknown if one of them is, or if it is not exact. */
export function addAmounts([first, ...others]: readonly (Amount | null)[]): Amount | null {
  const add = (sum: number, one: Amount | null) => sum + (one?.minorUnits ?? Number.NaN);
  const minorUnits = others.reduce(add, first?.minorUnits ?? Number.NaN);
  return first && Number.isSafeInteger(minorUnits) ? { ...first, minorUnits } : null;
}
