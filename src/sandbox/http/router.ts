import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import findMyWay from 'find-my-way';
import { type Body, readBody, readJson, readJsonText, readText } from './body.ts';
import { httpError } from './http-error.ts';
import type { HttpResponse } from './response.ts';

/** A request as a handler sees it. The body is read only when the handler asks for it. */
export interface HttpRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Reads a body of JSON or a form. Throws 400, 413 or 415 if it is invalid. */
  body(): Promise<Body>;
  /** Reads a body that must be JSON; an empty one is an empty object. Throws 400, 413 or 415. */
  json(): Promise<unknown>;
  /** Reads a JSON body as text. Throws 400, 413 or 415. */
  jsonText(maxBytes: number): Promise<string>;
  /** Reads a body of any content type as text. Throws 400 or 413. */
  text(): Promise<string>;
}

/** One operation of a service. Placeholders in `path` are written `:name`. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly handle: (request: HttpRequest) => Promise<HttpResponse>;
}

/** Where a service serves its OpenAPI document. */
export const DOCUMENT_PATH = '/openapi.json';

/** Maximum length of a request line such as `GET /users HTTP/1.1`, in bytes. */
export const MAX_REQUEST_LINE = 8 * 1024;

const methods: readonly Route['method'][] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

type Params = Readonly<Record<string, string | undefined>>;

/**
 * Returns a function that finds the route of a request. It throws 404 if no route has the path
 * and 405 if routes have the path, but not with the method. HEAD is handled like GET.
 */
export function createRouter(routes: readonly Route[]) {
  const router = findMyWay({ ignoreTrailingSlash: true, maxParamLength: MAX_REQUEST_LINE });
  for (const route of routes) router.on(route.method, route.path, () => {}, route);
  const isDescribed = routes.some(({ path }) => path === DOCUMENT_PATH);
  const noSuchPath = `This path does not exist${
    isDescribed ? `. GET ${DOCUMENT_PATH} describes all paths` : ''
  }`;

  function find(method: Route['method'], url: string) {
    const match = router.find(method, url);
    const route: Route | undefined = match?.store;
    return match && route && { route, params: match.params };
  }
  return (message: IncomingMessage): { route: Route; request: HttpRequest } => {
    const url = message.url ?? '/';
    const name = message.method === 'HEAD' ? 'GET' : message.method;
    const method = methods.find((known) => known === name);
    const found = method && find(method, url);
    if (found) return { route: found.route, request: toHttpRequest(message, url, found.params) };
    const allowed = methods.filter((other) => find(other, url));
    if (allowed.length === 0) throw httpError(404, noSuchPath);
    throw httpError(405, 'This path does not support this method', { allow: allowed.join(', ') });
  };
}

function toHttpRequest(message: IncomingMessage, url: string, params: Params): HttpRequest {
  const query = url.indexOf('?');
  return {
    params: withoutNull(params),
    query: new URLSearchParams(query === -1 ? '' : url.slice(query)),
    headers: message.headers,
    body: () => readBody(message),
    json: () => readJson(message),
    jsonText: (maxBytes) => readJsonText(message, maxBytes),
    text: () => readText(message),
  };
}

/**
 * Replaces U+0000, which no database accepts as text, with U+FFFD. No id contains either, so
 * the record is not found.
 */
function withoutNull(params: Params): Record<string, string> {
  const entries = Object.entries(params);
  return Object.fromEntries(
    entries.map(([name, value = '']) => [name, value.replaceAll('\0', '\ufffd')]),
  );
}
