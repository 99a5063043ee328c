import { isObject, readExactJson } from '../http/exact-json.ts';
import { readDocumentOrId } from '../http/read-params.ts';
import type { HttpError } from '../http/respond.ts';

/** The formats of an export. */
export type ExportFormat = 'csv' | 'jsonl' | 'xlsx';

const FORMATS: readonly unknown[] = ['csv', 'jsonl', 'xlsx'] satisfies ExportFormat[];

/** What to export. */
export interface ExportRequest {
  readonly query?: string;
  /** The id of a known document, instead of its text. */
  readonly documentId?: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly operationName: string | undefined;
  /** The response names that lead to the connection. If omitted, there must be only one. */
  readonly path: string | undefined;
  readonly format: ExportFormat;
  /** The cursor to continue after. */
  readonly after: string | undefined;
}

const NAMES = ['query', 'documentId', 'variables', 'operationName', 'path', 'format', 'after'];

/** Reads the body of a request. */
export function readExportRequest(text: string, maxDepth: number): ExportRequest | HttpError {
  const read = readExactJson(text, maxDepth);
  if (read.kind !== 'VALUE') return bad('The body must be a JSON object with exact numbers.');
  if (!isObject(read.value)) return bad('The body must be a JSON object.');
  const { query, documentId, variables, operationName, path, format, after } = read.value;
  if (Object.keys(read.value).some((name) => !NAMES.includes(name))) {
    return bad(`The body may only have ${NAMES.map((name) => `\`${name}\``).join(', ')}.`);
  }
  const document = readDocumentOrId(query, documentId);
  if ('status' in document) return document;
  if (variables != null && !isObject(variables)) return bad('`variables` must be an object.');
  if (!isOptionalString(operationName)) return bad('`operationName` must be a string.');
  if (!isOptionalString(path)) {
    return bad('`path` must name the connection to export, such as `merchant.transactions`.');
  }
  if (!isFormat(format)) return bad('`format` must be `csv`, `jsonl` or `xlsx`.');
  if (!isOptionalString(after)) return bad('`after` must be a cursor.');
  return {
    ...document,
    ...{ format, variables: variables ?? {} },
    ...{ operationName: operationName ?? undefined, path: path ?? undefined },
    after: after || undefined,
  };
}

function isFormat(value: unknown): value is ExportFormat {
  return FORMATS.includes(value);
}

function isOptionalString(value: unknown): value is string | null | undefined {
  return value == null || typeof value === 'string';
}

function bad(message: string): HttpError {
  return { status: 400, code: 'BAD_REQUEST', message };
}
