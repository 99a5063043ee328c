import type { IncomingMessage } from 'node:http';
import { GraphQLError } from 'graphql';
import type { Taken } from '../access/rate-accounts.ts';
import { type RateLimit, rateHeaders } from '../access/rate-limit.ts';
import type { Executed } from '../http/executed.ts';
import { GRAPHQL_RESPONSE, toErrorBody, toErrorType } from '../http/respond.ts';
import type { DocumentError } from './documents/persisted/persisted-documents.ts';
import { rateLimited, retryAfter } from './documents/request-error.ts';
import type { RequestRecord } from './request-record.ts';

/** The header that states a media type. */
export const typed = (type: string) => ({ 'content-type': `${type}; charset=utf-8` });

/** The response to a request whose sender has used too much, with the same bytes as from Yoga. */
export function toRefusal(
  taken: Taken,
  document: string,
  type: string,
  rate: RateLimit,
  record: RequestRecord,
): Executed {
  const error = rateLimited(taken.resetMs);
  record.noteErrors([error]);
  const { http: _http, ...extensions } = error.extensions;
  const text = JSON.stringify({ errors: [{ message: error.message, extensions }] });
  return {
    status: 429,
    headers: { ...typed(type), ...retryAfter(taken.resetMs), ...rateHeaders(rate, taken) },
    text,
    bytes: Buffer.byteLength(text),
    end: (status) => record.end(status, document),
  };
}

/**
 * The response to a request that names no document to execute. A client that does not accept the
 * media type of GraphQL gets the status 200, as for a document that is not valid.
 */
export function toDocumentError(
  request: IncomingMessage,
  { code, message }: DocumentError,
  document: string,
  record: RequestRecord,
): Executed {
  record.noteErrors([new GraphQLError(message, { extensions: { code } })]);
  const type = toErrorType(request);
  const text = toErrorBody(code, message);
  return {
    status: code === 'BAD_REQUEST' || type === GRAPHQL_RESPONSE ? 400 : 200,
    headers: typed(type),
    text,
    bytes: Buffer.byteLength(text),
    end: (status) => record.end(status, document),
  };
}
