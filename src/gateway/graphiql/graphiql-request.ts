import type { IncomingMessage } from 'node:http';

/** What GraphiQL sends with each request. */
export const GRAPHIQL_HEADERS = { 'x-tillgraph-graphiql': '1' };

/**
 * Whether a request says that it comes from GraphiQL of this gateway. A browser lets no page of
 * another origin say so, but every other client can.
 */
export function isFromGraphiql({ headers }: IncomingMessage): boolean {
  const { origin = '', host } = headers;
  const isMarked = headers['x-tillgraph-graphiql'] === '1';
  return isMarked && URL.canParse(origin) && new URL(origin).host === host;
}
