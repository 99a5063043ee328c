import type { IncomingMessage } from 'node:http';
import type { HttpError } from './respond.ts';

/**
 * Accepts only JSON. A browser sends forms and plain text to other sites without asking them,
 * and adds stored Basic credentials. For JSON it must first ask the gateway, which allows it
 * for the origins in CORS_ORIGINS only.
 */
export function checkMediaType({ headers }: IncomingMessage): HttpError | undefined {
  const isUsual = headers['content-type'] === 'application/json';
  if (isUsual && headers['content-encoding'] === undefined) return undefined;
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  const isUtf8 = charset === undefined || /^charset="?utf-8"?$/.test(charset);
  const isPlain = (headers['content-encoding'] ?? 'identity') === 'identity';
  return type === 'application/json' && isUtf8 && isPlain ? undefined : UNSUPPORTED;
}

const ACCEPTED = new Set([
  '*/*',
  'application/*',
  'application/json',
  'application/graphql-response+json',
]);

/** Rejects a client that reads no response of the gateway, before anything is executed. */
export function checkAccept({ headers: { accept } }: IncomingMessage): HttpError | undefined {
  if (accept === undefined || accept === '' || ACCEPTED.has(accept)) return undefined;
  const ranges = accept.toLowerCase().replaceAll(/\s/g, '').split(',');
  return ranges.some(isAcceptable) ? undefined : NOT_ACCEPTABLE;
}

function isAcceptable(range: string): boolean {
  const [type = '', ...parameters] = range.split(';');
  const charset = parameters.find((parameter) => parameter.includes('charset='));
  return ACCEPTED.has(type) && (charset === undefined || charset === 'charset=utf-8');
}

const NOT_ACCEPTABLE: HttpError = {
  status: 406,
  code: 'NOT_ACCEPTABLE',
  message:
    'The header accept must contain application/json or application/graphql-response+json, in UTF-8. Nothing was done.',
};

const UNSUPPORTED: HttpError = {
  status: 415,
  code: 'UNSUPPORTED_MEDIA_TYPE',
  message:
    'The request must be a JSON object with content-type application/json, in UTF-8, and not compressed.',
};
