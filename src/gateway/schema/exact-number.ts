/** Numbers with more digits, or with an exponent, may not be exact. */
const ALWAYS_EXACT_DIGITS = 15;

/** Whether JavaScript represents this decimal number exactly. */
export function isExact(text: string): boolean {
  if (text.length <= ALWAYS_EXACT_DIGITS && !/e/i.test(text)) return true;
  const value = Number(text);
  return Number.isFinite(value) && normalize(text) === normalize(String(value));
}

/** Sign, digits without leading and trailing zeros, and the exponent of the last digit. */
function normalize(text: string): string {
  const [, sign, whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = withoutLastZeros(digits);
  if (significant === '') return '0';
  const scale = Number(exponent) - fraction.length + digits.length - significant.length;
  return `${sign}${significant}e${scale}`;
}

/** A regular expression would try every zero, in quadratic time. */
function withoutLastZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}
