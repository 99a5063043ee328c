import type { GraphQLError } from 'graphql';
import { type ColumnKind, readPath } from './columns.ts';
import { AFTER, type ExportDocument, FIRST } from './export-document.ts';
import type { ExportFormat } from './export-request.ts';
import { MAX_ROWS, toRow } from './sheet.ts';

/** Limits of one export. */
export interface ExportLimits {
  readonly maxItems: number;
  readonly maxMs: number;
  /** Calls to services per second; 0 for no limit. */
  readonly maxCallsPerSecond: number;
}

/** The response to the query of one page. */
export interface PageResponse {
  readonly data: unknown;
  readonly errors: readonly GraphQLError[];
  /** The calls to services it took, and the list items that are not records. */
  readonly usage: { readonly calls: number; readonly skipped: number };
}

/** What to export, and how to write it. */
export interface Export {
  readonly document: ExportDocument;
  readonly format: ExportFormat;
  /** Items per page. */
  readonly size: number;
  readonly after: string | undefined;
  readonly limits: ExportLimits;
  /** Executes the query of one page. Undefined if the client disconnected before. */
  readonly execute: (page: Readonly<Record<string, unknown>>) => Promise<PageResponse | undefined>;
  /** Writes a part and waits until the client can take more. False if the client disconnected. */
  readonly write: (text: string) => Promise<boolean>;
  /** Waits for some milliseconds, or until the client disconnects. False if it did. */
  readonly pause: (ms: number) => Promise<boolean>;
}

/** How an export ended. */
export type ExportEnd =
  | {
      readonly kind: 'COMPLETE';
      readonly rows: number;
      readonly fieldErrors: number;
      /** Items that are not records, and records of a filtered list that could not be judged. */
      readonly skipped: number;
    }
  | { readonly kind: 'FAILED'; readonly code: string; readonly message: string }
  | { readonly kind: 'GONE' };

interface Connection {
  readonly edges: readonly { readonly cursor: string; readonly node: unknown }[];
  readonly pageInfo: { readonly endCursor: string | null };
  /** Only for a filtered list. */
  readonly search?: { readonly complete: boolean; readonly skipped: number } | null;
}

/** Reads a connection page by page and writes its nodes. Holds one page in memory. */
export async function runExport(given: Export): Promise<ExportEnd> {
  const { document, format, size, limits, execute, write, pause } = given;
  const start = performance.now();
  let [rows, fieldErrors, skipped] = [0, 0, 0];
  for (let after = given.after, isFirst = true; ; isFirst = false) {
    const begun = performance.now();
    if (begun - start > limits.maxMs) return tooLong(limits);
    const response = await execute({ [FIRST]: size, [AFTER]: after ?? null });
    if (response === undefined) return { kind: 'GONE' };
    const { data, errors, usage } = response;
    // The path was checked to lead to a connection.
    const page = readPath(data, document.path) as Connection | null | undefined;
    if (page == null) return failureOf(errors);
    rows += page.edges.length;
    fieldErrors += errors.length;
    skipped += page.search?.skipped ?? usage.skipped;
    const head = isFirst ? headOf(given) : '';
    if (!(await write(head + toText(page, given)))) return { kind: 'GONE' };
    const { endCursor } = page.pageInfo;
    // A filtered page can be short although more items follow.
    const isLast = page.search == null ? page.edges.length < size : page.search.complete;
    if (isLast) return { kind: 'COMPLETE', rows, fieldErrors, skipped };
    if (endCursor === null || endCursor === after) return STUCK;
    const maxItems =
      format === 'xlsx' ? Math.min(limits.maxItems, MAX_ROWS - size) : limits.maxItems;
    if (rows >= maxItems) return tooMany(rows);
    after = endCursor;
    if (!(await pause(begun + timeOf(usage.calls, limits) - performance.now())))
      return { kind: 'GONE' };
  }
}

/** Minimum duration of the calls of a page, in milliseconds. */
function timeOf(calls: number, { maxCallsPerSecond }: ExportLimits): number {
  return maxCallsPerSecond === 0 ? 0 : (calls * 1_000) / maxCallsPerSecond;
}

function headOf({ format, document: { columns }, after }: Export): string {
  // A continued export is appended to the previous lines, but a workbook is complete.
  if (format === 'jsonl' || (format === 'csv' && after !== undefined)) return '';
  const names = ['cursor', ...columns.map(({ path }) => path.join('.'))];
  return format === 'csv' ? toLine(names) : toRow(names, []);
}

function toText({ edges }: Connection, { format, document: { columns } }: Export): string {
  const kinds: ColumnKind[] = ['OTHER', ...columns.map(({ kind }) => kind)];
  const lines = edges.map(({ cursor, node }) => {
    if (format === 'jsonl') return `${JSON.stringify({ cursor, node })}\n`;
    const values = [cursor, ...columns.map(({ path }) => readPath(node, path))];
    return format === 'csv' ? toLine(values) : toRow(values, kinds);
  });
  return lines.join('');
}

function failureOf([error]: readonly GraphQLError[]): ExportEnd {
  if (error === undefined) {
    return {
      kind: 'FAILED',
      code: 'NOT_FOUND',
      message: 'The connection at `path` does not exist.',
    };
  }
  return { kind: 'FAILED', code: String(error.extensions.code), message: error.message };
}

const STUCK: ExportEnd = {
  kind: 'FAILED',
  code: 'UPSTREAM_CALL_LIMIT',
  message: 'A page needs more calls than one request may make.',
};

function tooMany(rows: number): ExportEnd {
  const message = `The export stopped after ${rows} items. Continue with \`after\`.`;
  return { kind: 'FAILED', code: 'EXPORT_LIMIT', message };
}

function tooLong({ maxMs }: ExportLimits): ExportEnd {
  const message = `The export stopped after ${maxMs} ms. Continue with \`after\`.`;
  return { kind: 'FAILED', code: 'EXPORT_LIMIT', message };
}

/** A number, which a spreadsheet does not take for a formula. */
const NUMBER = /^-?\d+(\.\d+)?$/;
/** What a spreadsheet takes for a formula, even after apostrophes that were added before. */
const FORMULA = /^'*[=+\-@\t\r]/;
const SPECIAL = /[",\r\n]/;

/**
 * A value as a cell of RFC 4180. Null is empty; lists and objects are JSON. A string that a
 * spreadsheet would execute is prefixed with an apostrophe, which a reader can remove.
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
