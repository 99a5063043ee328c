import type { ColumnKind } from './columns.ts';

/** Maximum rows of a sheet, without its header. */
export const MAX_ROWS = 1_048_575;
/** Maximum UTF-16 code units of a cell. */
const MAX_TEXT = 32_767;
/** A spreadsheet calculates with doubles, and shows no more digits than these. */
const MAX_DIGITS = 15;
const NUMBER = /^-?\d+(?:\.(\d+))?$/;
const MAX_DECIMALS = 4;
const DAY_MS = 86_400_000;
/** The day number of 1 January 1970. */
const EPOCH_DAY = 25_569;
/** 1 March 1900. Spreadsheets disagree about earlier days. */
const FIRST_DAY = 61;

/** Formats of cells by their position in {@link STYLES}. */
const TEXT = 1;
const DATE = 2;
const DATE_TIME = 3;
/** Followed by the formats with one to four decimals. */
const INTEGER = 4;
const FORMATS = ['yyyy-mm-dd', 'yyyy-mm-dd hh:mm:ss', '0', '0.0', '0.00', '0.000', '0.0000'];

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
/** The first number available for custom formats. */
const FIRST_FORMAT = 164;

/** The formats of cells. `@` keeps text as text, even after it is edited. */
export const STYLES = `<styleSheet xmlns="${MAIN}"><numFmts count="${FORMATS.length}">${FORMATS.map(
  (code, index) => `<numFmt numFmtId="${FIRST_FORMAT + index}" formatCode="${code}"/>`,
).join(
  '',
)}</numFmts><fonts count="1"><font/></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="${FORMATS.length + 2}"><xf/><xf numFmtId="49" applyNumberFormat="1"/>${FORMATS.map(
  (_code, index) => `<xf numFmtId="${FIRST_FORMAT + index}" applyNumberFormat="1"/>`,
).join('')}</cellXfs></styleSheet>`;

/**
 * Columns are wide enough for a time. A spreadsheet does not show a number wider than its column.
 */
export const SHEET_START = `<worksheet xmlns="${MAIN}"><cols><col min="1" max="16384" width="20" customWidth="1"/></cols><sheetData>`;
export const SHEET_END = '</sheetData></worksheet>';

/** Values as a row of a sheet in Office Open XML. `kinds` are those of their columns. */
export function toRow(values: readonly unknown[], kinds: readonly ColumnKind[]): string {
  return `<row>${values.map((value, index) => toCell(value, kinds[index])).join('')}</row>`;
}

function toCell(value: unknown, kind: ColumnKind | undefined): string {
  if (value === null || value === undefined) return '<c/>';
  if (typeof value === 'boolean') return `<c t="b"><v>${Number(value)}</v></c>`;
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const isNumber = kind === 'DECIMAL' || typeof value === 'number';
  const cell = isNumber ? toNumber(text) : toDay(text, kind);
  return (
    cell ??
    `<c s="${TEXT}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(text)}</t></is></c>`
  );
}

/** Undefined if a spreadsheet would change the number. */
function toNumber(text: string): string | undefined {
  const match = NUMBER.exec(text);
  const digits = text.replace(/\D/g, '').replace(/^0+/, '').length;
  if (match === null || digits > MAX_DIGITS) return undefined;
  const decimals = match[1]?.length ?? 0;
  const format = decimals > MAX_DECIMALS ? 0 : INTEGER + decimals;
  return `<c s="${format}"><v>${text}</v></c>`;
}

/** A date, or a time in UTC. */
function toDay(text: string, kind: ColumnKind | undefined): string | undefined {
  if (kind !== 'DATE' && kind !== 'DATE_TIME') return undefined;
  const day = Date.parse(text) / DAY_MS + EPOCH_DAY;
  if (!(day >= FIRST_DAY)) return undefined;
  return `<c s="${kind === 'DATE' ? DATE : DATE_TIME}"><v>${day}</v></c>`;
}

/** Escapes text for XML. Control characters are written as in Office Open XML: `_x000D_`. */
function escapeXml(text: string): string {
  return text
    .slice(0, MAX_TEXT)
    .toWellFormed()
    .replace(/_(?=x[\da-f]{4}_)/gi, '_x005F_')
    .replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`)
    .replace(/\p{Cc}|[\uFFFE\uFFFF]/gu, (character) =>
      character === '\t' || character === '\n' ? character : toHex(character),
    );
}

const toHex = (character: string) =>
  `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
