import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import { rejections } from '../channels.ts';
import { responseTypeFor } from './accept.ts';
import { endAfterRest } from './closing.ts';

/** Codes of errors before a request reaches GraphQL. */
export type HttpErrorCode =
  | 'BAD_REQUEST'
  | 'BAD_USER_INPUT'
  | 'BODY_TOO_LARGE'
  | 'HEADERS_TOO_LARGE'
  | 'HOST_NOT_ALLOWED'
  | 'INTERNAL_SERVER_ERROR'
  | 'METHOD_NOT_ALLOWED'
  | 'NOT_ACCEPTABLE'
  | 'NOT_FOUND'
  | 'OVERLOADED'
  | 'PERSISTED_DOCUMENTS_NOT_SUPPORTED'
  | 'PERSISTED_DOCUMENT_NOT_FOUND'
  | 'PERSISTED_DOCUMENT_REQUIRED'
  | 'PERSISTED_QUERY_NOT_FOUND'
  | 'PERSISTED_QUERY_NOT_SUPPORTED'
  | 'RATE_LIMITED'
  | 'REQUEST_TIMEOUT'
  | 'RESPONSE_TOO_LARGE'
  | 'UNSUPPORTED_MEDIA_TYPE';

/** An error response instead of the requested one. */
export interface HttpError {
  readonly status: number;
  readonly code: HttpErrorCode;
  /** Says what to change. Never repeats what the client sent. */
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Number of operations that the client sent in a list. It expects a list with as many responses.
   */
  readonly operations?: number | undefined;
}

export const GRAPHQL_RESPONSE = 'application/graphql-response+json';

/**
 * Sends an error in the shape of a GraphQL response. A response that has already started can only
 * be cut off.
 */
export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  error: HttpError,
): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  const body = publishError(error);
  const isReceived = request.complete || !hasBody(request);
  response.writeHead(error.status, {
    ...headersOf(body, toErrorType(request)),
    ...error.headers,
    ...(isReceived ? {} : { connection: 'close' }),
  });
  if (isReceived) response.end(body);
  else endAfterRest(request, response, body);
}

/** The complete response, for input that is not a valid request and so has no response object. */
export function toRawResponse(error: HttpError): string {
  const body = publishError(error);
  const headers = { connection: 'close', ...headersOf(body, 'application/json') };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const { status } = error;
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}

function publishError({ status, code, message, operations = 0 }: HttpError): string {
  if (rejections.hasSubscribers) rejections.publish({ code, status });
  const body = toErrorBody(code, message);
  return operations >= 1 && operations <= MAX_RESPONSES
    ? `[${Array(operations).fill(body).join(',')}]`
    : body;
}

/** A client that sends a longer list gets a single error, because a list would be large. */
const MAX_RESPONSES = 100;

function headersOf(body: string, type: string) {
  return {
    'content-type': `${type}; charset=utf-8`,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
}

/** Whether a request has a body, according to its headers. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The media type of an error. A client that accepts none of ours gets JSON. */
export function toErrorType({ headers }: IncomingMessage): string {
  return responseTypeFor(headers.accept) ?? 'application/json';
}

/** The body of a response with one error. */
export function toErrorBody(code: HttpErrorCode, message: string): string {
  return JSON.stringify({ errors: [{ message, extensions: { code } }] });
}
