import { GraphQLError } from 'graphql';

/** Codes of requests that are too large. They are documented in `docs/errors.md`. */
export type LimitCode =
  | 'TOKEN_LIMIT'
  | 'DEPTH_LIMIT'
  | 'ALIAS_LIMIT'
  | 'ROOT_FIELD_LIMIT'
  | 'MONEY_FIELD_LIMIT'
  | 'DIRECTIVE_LIMIT'
  | 'COMPLEXITY_LIMIT';

/**
 * An error of the whole request: nothing is executed. Its HTTP status is that of the response's
 * media type: 200 for `application/json`, 400 for `application/graphql-response+json`.
 */
export function requestError(
  code: LimitCode | 'GRAPHQL_PARSE_FAILED' | 'GRAPHQL_VALIDATION_FAILED' | 'BAD_USER_INPUT',
  message: string,
  at?: GraphQLError,
): GraphQLError {
  const extensions = { code, http: { spec: true, status: 400 } };
  // Errors are cached for equal documents. Nodes would keep the whole parsed document in memory.
  const { source, positions } = at ?? {};
  return new GraphQLError(message, { source, positions, extensions });
}

/** What an operation can have too much of. */
const excesses = {
  DEPTH_LIMIT: 'too many levels of fields',
  ALIAS_LIMIT: 'too many aliases',
  ROOT_FIELD_LIMIT: 'too many root fields',
  MONEY_FIELD_LIMIT: 'too many fields that move money',
  DIRECTIVE_LIMIT: 'too many directives',
  COMPLEXITY_LIMIT: 'too high a complexity',
};

/** The error for a count that exceeds its limit; undefined if it does not. */
export function exceeds(
  code: keyof typeof excesses,
  count: number,
  limit: number,
): GraphQLError | undefined {
  if (count <= limit) return undefined;
  return requestError(
    code,
    `The operation has ${excesses[code]}: ${count}. The limit is ${limit}.`,
  );
}

/** The header that says when to repeat a request. */
export function retryAfter(ms: number): { readonly 'retry-after': string } {
  return { 'retry-after': String(Math.ceil(ms / 1_000)) };
}

/** The error of a client that has requested too much in the last minute. Nothing is executed. */
export function rateLimited(retryAfterMs: number): GraphQLError {
  const http = { status: 429, headers: retryAfter(retryAfterMs) };
  const message = 'This app has requested too much in the last minute. Nothing was done.';
  return new GraphQLError(message, {
    extensions: { code: 'RATE_LIMITED', retryAfterMs, http },
  });
}
