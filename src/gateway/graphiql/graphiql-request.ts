import type { IncomingMessage } from 'node:http';

/** What GraphiQL sends with each request. */
export const GRAPHIQL_HEADERS = { 'x-tillgraph-graphiql': '1' };

/**
 * Whether a request says that it comes from GraphiQL of this gateway. A browser lets no page of
 * another origin say so, but every other client can.
 */
export function isFromGraphiql({ headers }: IncomingMessage): boolean {
  if (headers['x-tillgraph-graphiql'] !== '1') return false;
  const { origin = '', host } = headers;
  // A reverse proxy may replace `Host`. Browsers send the other header only over HTTPS, or to
  // this machine.
  if (headers['sec-fetch-site'] === 'same-origin') return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}
