import type { IncomingMessage } from 'node:http';
import type { HttpError } from './respond.ts';

/** Host names that clients may use for the gateway; `'*'` for all. */
export type AllowedHosts = readonly string[] | '*';

const HOST = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9_](?:[a-z0-9._-]{0,251}[a-z0-9_])?\.?)(?::\d{1,5})?$/i;
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Checks the `Host` of a request. A web page can point its own host name to this machine to read
 * what the gateway shows, but that name is not allowed.
 */
export function checkHost(host: string | undefined, allowed: AllowedHosts): HttpError | undefined {
  const name = HOST.exec(host ?? '')?.[1]
    ?.toLowerCase()
    .replace(/\.$/, '');
  if (name === undefined) {
    return {
      status: 400,
      code: 'BAD_REQUEST',
      message: 'The `Host` header is missing or malformed.',
    };
  }
  if (allowed === '*' || allowed.includes(name)) return undefined;
  return {
    status: 421,
    code: 'HOST_NOT_ALLOWED',
    message: 'The gateway does not accept requests for this host. Add it to ALLOWED_HOSTS.',
  };
}

/** Creates {@link checkHost} for many requests, most of which have the same host. */
export function createCheckHost(allowed: AllowedHosts) {
  let last: string | undefined;
  return (host: string | undefined): HttpError | undefined => {
    if (host === last && host !== undefined) return undefined;
    const error = checkHost(host, allowed);
    if (error === undefined) last = host;
    return error;
  };
}

/** The default names for the address that the gateway listens on. */
export function defaultHosts(listensOn: string): AllowedHosts {
  const isLoopback = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/.test(listensOn);
  return isLoopback ? LOOPBACK : '*';
}

/** What a browser may send from another origin, and read of a response. */
const PREFLIGHT = {
  'access-control-allow-methods': 'POST',
  'access-control-allow-headers': 'authorization, content-type, graphql-cost, x-request-id',
  'access-control-max-age': '7200',
};

/**
 * The headers that let a web page of another origin use the gateway; none for an origin that
 * is not allowed. Credentials that a browser stores are never allowed.
 */
export function corsHeaders(
  { headers: { origin }, method }: IncomingMessage,
  allowed: readonly string[],
): Record<string, string> {
  if (allowed.length === 0) return {};
  if (origin === undefined || !allowed.includes(origin)) return { vary: 'origin' };
  return {
    vary: 'origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'ratelimit, ratelimit-policy, retry-after',
    ...(method === 'OPTIONS' ? PREFLIGHT : {}),
  };
}
