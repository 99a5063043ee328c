/** A number as text, which no spreadsheet takes for a formula. */
const NUMBER = /^-?\d+(\.\d+)?$/;
/** What a spreadsheet takes for a formula, also behind apostrophes that were added before. */
const FORMULA = /^'*[=+\-@\t\r]/;
const SPECIAL = /[",\r\n]/;

/**
 * A value as a cell of RFC 4180. Null is empty; lists and objects are JSON. Text that a spreadsheet
 * would execute gets an apostrophe in front, which a reader can take off again.
 */
function toCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const isFormula = !NUMBER.test(text) && FORMULA.test(text);
  const safe = isFormula ? `'${text}` : text;
  return SPECIAL.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Values as a line of RFC 4180. */
export function toLine(values: readonly unknown[]): string {
  return `${values.map(toCell).join(',')}\r\n`;
}
