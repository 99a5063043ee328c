import type { GraphQLParams } from 'graphql-yoga';
import { isObject, readExactJson } from './exact-json.ts';
import type { HttpError } from './respond.ts';

/** The parameters of a GraphQL request: a document, its id, or its hash from an Apollo client. */
export type RequestParams = GraphQLParams & {
  readonly documentId?: string;
  /** The hash of an automatic persisted query, sent without a text. */
  readonly persistedHash?: string;
};

type Writable<T> = { -readonly [Name in keyof T]: T[Name] };

const NAMES = new Set(['query', 'documentId', 'variables', 'operationName', 'extensions']);

/** Reads the body of a GraphQL request. */
export function readParams(text: string, maxDepth: number): RequestParams | HttpError {
  const read = readExactJson(text, maxDepth);
  switch (read.kind) {
    case 'NOT_JSON':
      return bad('The body must be a JSON object.');
    case 'TOO_DEEP':
      return bad(`The body must not be nested deeper than ${maxDepth} levels.`);
    case 'INEXACT':
      return bad(
        `The number ${read.number} in \`${read.path}\` cannot be represented exactly. Send it as a string, or with fewer digits.`,
        'BAD_USER_INPUT',
      );
    case 'NUL':
      return bad(
        `The string in \`${read.path}\` must not contain the character U+0000.`,
        'BAD_USER_INPUT',
      );
    case 'VALUE':
      return toParams(read.value);
  }
}

function toParams(value: unknown): RequestParams | HttpError {
  if (!isObject(value)) {
    return bad(
      Array.isArray(value)
        ? 'Several operations in one request are not supported. Send each one in its own request, as a JSON object.'
        : 'The body must be a JSON object.',
      'BAD_REQUEST',
      Array.isArray(value) ? value.length : undefined,
    );
  }
  const { query, documentId, variables, operationName, extensions } = value;
  const persistedHash = query == null && documentId == null ? readHash(extensions) : undefined;
  const document =
    persistedHash === undefined ? readDocumentOrId(query, documentId) : { persistedHash };
  if ('status' in document) return document;
  if (variables != null && !isObject(variables)) return bad('`variables` must be an object.');
  if (operationName != null && typeof operationName !== 'string') {
    return bad('`operationName` must be a string.');
  }
  if (extensions != null && !isObject(extensions)) return bad('`extensions` must be an object.');
  if (Object.keys(value).some((name) => !NAMES.has(name))) {
    return bad(
      'The body may only have `query` or `documentId`, `variables`, `operationName` and `extensions`.',
    );
  }
  const params: Writable<RequestParams> = document;
  if (variables != null) params.variables = variables;
  if (operationName != null) params.operationName = operationName;
  if (extensions != null) params.extensions = extensions;
  return params;
}

/** The hash of an automatic persisted query; undefined for other requests. */
function readHash(extensions: unknown): string | undefined {
  const persisted = isObject(extensions) ? extensions.persistedQuery : undefined;
  const hash = isObject(persisted) ? persisted.sha256Hash : undefined;
  return typeof hash === 'string' ? hash : undefined;
}

/** Reads the document of a request: its text or its id, not both. */
export function readDocumentOrId(
  query: unknown,
  documentId: unknown,
): { readonly query: string } | { readonly documentId: string } | HttpError {
  if (documentId == null) {
    return typeof query === 'string'
      ? { query }
      : bad('`query` must be a string with a GraphQL document.');
  }
  if (typeof documentId !== 'string') return bad('`documentId` must be a string.');
  return query == null
    ? { documentId }
    : bad('Send `query` or `documentId`, not both: they could mean different documents.');
}

function bad(
  message: string,
  code: HttpError['code'] = 'BAD_REQUEST',
  operations?: number,
): HttpError {
  return { status: 400, code, message, operations };
}
