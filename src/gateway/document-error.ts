import type { IncomingMessage } from 'node:http';
import type { DocumentError } from './document/persisted/persisted-documents.ts';
import type { Executed } from './http/executed.ts';
import { GRAPHQL_RESPONSE, toErrorBody, toErrorType } from './http/respond.ts';

/**
 * The response to a request that names no document to execute. A client that does not read the
 * media type of GraphQL gets the status 200, as for a document that is not valid.
 */
export function toDocumentError(
  request: IncomingMessage,
  { code, message }: DocumentError,
): Omit<Executed, 'end'> {
  const type = toErrorType(request);
  const text = toErrorBody(code, message);
  return {
    status: code === 'BAD_REQUEST' || type === GRAPHQL_RESPONSE ? 400 : 200,
    headers: { 'content-type': `${type}; charset=utf-8` },
    text,
    bytes: Buffer.byteLength(text),
  };
}
