import type { IncomingMessage, ServerResponse } from 'node:http';
import { rejections } from '../channels.ts';
import { endAfterRest } from './rest-of-request.ts';

/** Codes of requests that are answered before GraphQL sees them. */
export type HttpErrorCode =
  | 'BAD_REQUEST'
  | 'BAD_USER_INPUT'
  | 'BODY_TOO_LARGE'
  | 'HOST_NOT_ALLOWED'
  | 'INTERNAL_SERVER_ERROR'
  | 'METHOD_NOT_ALLOWED'
  | 'NOT_FOUND'
  | 'OVERLOADED'
  | 'PERSISTED_DOCUMENTS_NOT_SUPPORTED'
  | 'PERSISTED_DOCUMENT_NOT_FOUND'
  | 'PERSISTED_DOCUMENT_REQUIRED'
  | 'RESPONSE_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE';

/** A response in place of the one that the client asked for. */
export interface HttpError {
  readonly status: number;
  readonly code: HttpErrorCode;
  /** What to change. Never repeats what the client sent. */
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const GRAPHQL_RESPONSE = 'application/graphql-response+json';

/** Sends an error in the shape of a GraphQL response. */
export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  { status, code, message, headers }: HttpError,
): void {
  if (rejections.hasSubscribers) rejections.publish({ code, status });
  const body = toErrorBody(code, message);
  const isReceived = request.complete || !hasBody(request);
  response.writeHead(status, {
    'content-type': `${toErrorType(request)}; charset=utf-8`,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
    ...(isReceived ? {} : { connection: 'close' }),
  });
  if (isReceived) response.end(body);
  else endAfterRest(request, response, body);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The media type of an error: that of GraphQL if the client reads it. */
export function toErrorType({ headers }: IncomingMessage): string {
  return headers.accept?.includes(GRAPHQL_RESPONSE) ? GRAPHQL_RESPONSE : 'application/json';
}

/** The response that consists of one error. */
export function toErrorBody(code: HttpErrorCode, message: string): string {
  return JSON.stringify({ errors: [{ message, extensions: { code } }] });
}
