import type { IncomingMessage } from 'node:http';

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
