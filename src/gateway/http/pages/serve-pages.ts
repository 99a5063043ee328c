import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { encode, type Resource } from './page-files.ts';

/** A page and the files that it loads. */
export interface Pages {
  /** Whether a request is for the page or for one of its files. */
  matches(request: IncomingMessage, path: string): boolean;
  /** Reads and compresses the page and its files. Called once, by the first request. */
  load(): Promise<ReadonlyMap<string, Resource>>;
}

/** Serves a page or one of its files. Returns false if the request is for neither. */
export type ServePages = (
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
) => boolean;

/**
 * Maximum concurrent responses. The operating system keeps megabytes for each slow client, and
 * thousands of them would leave no memory for other requests.
 */
const MAX_OPEN = 64;

/** Matches the encoding unless its weight is 0. */
const GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;

/** Serves a page. Until it is requested, it costs neither time nor memory. */
export function servePages({ matches, load }: Pages, onBug: (error: unknown) => void): ServePages {
  let loading: Promise<ReadonlyMap<string, Resource>> | undefined;
  let open = 0;
  return (request, response, path) => {
    if (!matches(request, path)) return false;
    if (open >= MAX_OPEN) {
      response.writeHead(503, { 'retry-after': '1', 'content-length': 0 }).end();
      return true;
    }
    open++;
    response.once('close', () => open--);
    loading ??= load();
    void loading
      .then((resources) => respond(request, response, path, resources))
      .catch((error) => {
        loading = undefined;
        onBug(error);
        if (response.headersSent) response.destroy();
        else response.writeHead(500).end();
      });
    return true;
  };
}

async function respond(
  { method, url = '', headers: { 'accept-encoding': accepted = '' } }: IncomingMessage,
  response: ServerResponse,
  path: string,
  resources: ReadonlyMap<string, Resource>,
): Promise<void> {
  const found = resources.get(path);
  // Below a URL with a trailing slash, the relative URLs of a page do not work.
  if (path.endsWith('/') && resources.has(path.slice(0, -1))) {
    const location = `..${path.slice(0, -1)}${url.slice(path.length)}`;
    return void response.writeHead(302, { location, 'content-length': 0 }).end();
  }
  if (found === undefined) return void response.writeHead(404).end('Not found.');
  if (method !== 'GET' && method !== 'HEAD') {
    return void response.writeHead(405, { allow: 'GET, HEAD' }).end();
  }
  const acceptsGzip = GZIP.test(String(accepted));
  const { body, headers } = await encode(found, acceptsGzip);
  // The client disconnected.
  if (response.destroyed) return;
  response.writeHead(200, headers);
  if (method === 'HEAD') return void response.end();
  pipeline(body, response, () => {
    // A client that disconnects is not a bug.
  });
}
