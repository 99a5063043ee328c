import type { Plugin } from 'graphql-yoga';
import { encode, type Resource } from './page-files.ts';

/** A page and the files that it loads. */
export interface Pages {
  /** Whether a request is for the page or for one of its files. */
  matches(request: Request, path: string): boolean;
  /** Reads and compresses them; called once, by the first request. */
  load(): Promise<ReadonlyMap<string, Resource>>;
}

/** Serves a page. Until it is requested, it costs neither time nor memory. */
export function servePages({ matches, load }: Pages): Plugin {
  let loading: Promise<ReadonlyMap<string, Resource>> | undefined;
  return {
    onRequest: ({ request, url, endResponse, fetchAPI: { Response } }) => {
      if (!matches(request, url.pathname)) return;
      loading ??= load().catch((error) => {
        loading = undefined;
        throw error;
      });
      return loading.then(async (resources) => {
        const found = resources.get(url.pathname);
        if (found === undefined) {
          return endResponse(new Response('Not found.', { status: 404 }));
        }
        if (request.method !== 'GET' && request.method !== 'HEAD') {
          return endResponse(new Response(null, { status: 405, headers: { allow: 'GET, HEAD' } }));
        }
        const acceptsGzip = /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '');
        const { body, headers } = await encode(found, acceptsGzip);
        endResponse(new Response(new Uint8Array(body), { headers }));
      });
    },
  };
}
