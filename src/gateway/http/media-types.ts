import type { IncomingMessage } from 'node:http';
import { parse } from 'content-type';
import { responseTypeFor, wantsEvents } from './accept.ts';
import type { HttpError } from './respond.ts';

/**
 * Accepts only JSON. A browser sends forms and plain text to other sites without a preflight, and
 * adds stored Basic credentials. JSON needs a preflight, which the gateway allows only for the
 * origins in CORS_ORIGINS.
 */
export function checkMediaType({ headers }: IncomingMessage): HttpError | undefined {
  const isUsual = headers['content-type'] === 'application/json';
  if (isUsual && headers['content-encoding'] === undefined) return undefined;
  const { type, parameters } = parse(headers['content-type'] ?? '');
  const isUtf8 = (parameters.charset ?? 'utf-8').toLowerCase() === 'utf-8';
  const isPlain = (headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity';
  if (type === 'application/json' && isUtf8 && isPlain) return undefined;
  return type === 'multipart/form-data' ? NO_UPLOADS : UNSUPPORTED;
}

/** Rejects a client that accepts no response of the gateway, before anything is executed. */
export function checkAccept({ headers }: IncomingMessage): HttpError | undefined {
  const isAccepted = responseTypeFor(headers.accept) !== undefined || wantsEvents(headers.accept);
  return isAccepted ? undefined : NOT_ACCEPTABLE;
}

const NOT_ACCEPTABLE: HttpError = {
  status: 406,
  code: 'NOT_ACCEPTABLE',
  message:
    'The header accept must contain application/json or application/graphql-response+json, in UTF-8; for a subscription, text/event-stream. Nothing was done.',
};

const UNSUPPORTED: HttpError = {
  status: 415,
  code: 'UNSUPPORTED_MEDIA_TYPE',
  message:
    'The request must be a JSON object with content-type application/json, in UTF-8, and not compressed.',
};

const NO_UPLOADS: HttpError = {
  status: 415,
  code: 'UNSUPPORTED_MEDIA_TYPE',
  message:
    'Uploads are not supported. Send the request as a JSON object with content-type application/json, without files.',
};
