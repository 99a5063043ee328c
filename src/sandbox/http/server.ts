import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import findMyWay, { type HTTPMethod } from 'find-my-way';
import { type Answer, answer } from './answer.ts';
import { readBody } from './body.ts';
import { type Fields, type Rule, readFields, type Shape } from './fields.ts';
import { Refusal, refusal } from './refusal.ts';

/** One request as a handler sees it. The body is read only when fields are asked for. */
export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly authorization: string | undefined;
  fields<S extends Shape>(shape: S, rule?: Rule<S>): Promise<Fields<S>>;
}

/** One operation of a service. `path` has `:name` for its placeholders. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly handle: (call: Call) => Promise<Answer>;
}

/** Told of every request; the path is the route's pattern, so that no secret can be in it. */
export interface RequestLogEntry {
  readonly service: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly requestId: string;
}

/** Where and as what a service listens. */
export interface ServiceOptions {
  readonly service: string;
  readonly host: string;
  /** 0 picks a free one. */
  readonly port: number;
  readonly routes: readonly Route[];
  readonly log: (entry: RequestLogEntry) => void;
  /** Told of defects; the caller only sees a 500. */
  readonly onDefect: (error: unknown, requestId: string) => void;
}

/** A service that answers. */
export interface RunningService {
  readonly url: string;
  close(): Promise<void>;
}

const MAX_REQUEST_LINE = 8 * 1024;
/** Node answers a longer head itself, with a bare 431; far enough above ours to leave that to us. */
const MAX_HEAD = 64 * 1024;
const methods: readonly Route['method'][] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const REQUEST_ID = /^[\w.-]{1,64}$/;

/** Opens the port of one service; rejects with Node's own error when it is taken. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const find = createFinder(options.routes);

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const start = performance.now();
    const sent = request.headers['x-request-id'];
    const requestId =
      typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomBytes(16).toString('hex');
    let path = '-';
    let result: Answer;
    try {
      if (`${request.method} ${request.url} HTTP/1.1`.length > MAX_REQUEST_LINE) {
        throw refusal(414, 'The address is too long', { connection: 'close' });
      }
      const found = find(request);
      path = found.route.path;
      result = await found.route.handle(found.call);
    } catch (error) {
      result = toAnswer(error);
      if (result.status === 500) options.onDefect(error, requestId);
    }
    write(response, result, requestId);
    options.log({
      service: options.service,
      method: request.method ?? '-', // one of Node's list, so nothing of the caller's either
      path,
      status: result.status,
      durationMs: Math.round(performance.now() - start),
      requestId,
    });
  }

  const server = createServer(
    { maxHeaderSize: MAX_HEAD },
    (request, response) => void handle(request, response),
  );
  await listen(server, options.host, options.port);
  const { address, family, port } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    close: () => close(server),
  };
}

/** Finds the route of a request: 404 for no such path, 405 for a path with other methods. */
function createFinder(routes: readonly Route[]) {
  const router = findMyWay({ ignoreTrailingSlash: true, maxParamLength: MAX_REQUEST_LINE });
  for (const route of routes) router.on(route.method, route.path, () => {}, route);

  return (request: IncomingMessage): { route: Route; call: Call } => {
    const url = request.url ?? '/';
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const match = router.find(method as HTTPMethod, url);
    const route = match?.store as Route | undefined;
    if (match === null || match === undefined || route === undefined) {
      const allowed = methods.filter((other) => router.find(other, url)?.store);
      if (allowed.length === 0) throw refusal(404, 'No such path');
      throw refusal(405, 'Not with this method', { allow: allowed.join(', ') });
    }
    const query = url.indexOf('?');
    const call: Call = {
      params: readParams(match.params),
      query: new URLSearchParams(query === -1 ? '' : url.slice(query)),
      authorization: request.headers.authorization,
      fields: async (shape, rule) => readFields(await readBody(request), shape, rule),
    };
    return { route, call };
  };
}

/** U+0000 is in no id, but no database takes it either: something else stands for it that is in none. */
function readParams(params: Record<string, string | undefined>): Record<string, string> {
  const entries = Object.entries(params);
  return Object.fromEntries(
    entries.map(([name, value = '']) => [name, value.replaceAll('\0', '\ufffd')]),
  );
}

function toAnswer(error: unknown): Answer {
  if (error instanceof Refusal) return answer(error.status, error.body, error.headers);
  return answer(500, { message: 'Internal error' });
}

function write(response: ServerResponse, { status, headers, body }: Answer, requestId: string) {
  response.writeHead(status, {
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
    ...headers,
    ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
  });
  response.end(body);
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    // A caller that keeps its connection busy cannot hold the program open.
    setTimeout(() => server.closeAllConnections(), 2_000).unref();
  });
}
