import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { HttpError, httpError } from './http-error.ts';
import { type HttpResponse, jsonResponse } from './response.ts';
import { createRouter, MAX_REQUEST_LINE, type Route } from './router.ts';

/** One request in the log. `path` is the pattern of the route, so it cannot contain a secret. */
export interface RequestLogEntry {
  readonly service: string;
  readonly method: string;
  /** `-` if no route matches. */
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly requestId: string;
}

/** Options of {@link startService}. */
export interface ServiceOptions {
  /** The name of the service in the log. */
  readonly service: string;
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly routes: readonly Route[];
  /** Called once for every request. */
  readonly log: (entry: RequestLogEntry) => void;
  /** Called with errors that are bugs. The caller of the service sees only a 500. */
  readonly onBug: (error: unknown, requestId: string) => void;
}

/** A service that accepts requests. */
export interface RunningService {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Node itself responds to longer headers with a 431 without a body. This limit is well above
 * MAX_REQUEST_LINE, so that a long request line gets the 414 of this server.
 */
const MAX_HEADERS = 64 * 1024;
const CLOSE_AFTER_MS = 2_000;
const REQUEST_ID = /^[\w.-]{1,64}$/;

/** Starts one service on its port. Rejects with Node's error if the port is taken. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const handle = createHandler(options);
  const server = createServer(
    { maxHeaderSize: MAX_HEADERS },
    (request, response) => void handle(request, response),
  );
  await listen(server, options.host, options.port);
  return { url: urlOf(server), close: () => close(server) };
}

function createHandler({ service, routes, log, onBug }: ServiceOptions) {
  const findRoute = createRouter(routes);

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const start = performance.now();
    const requestId = requestIdOf(request);
    let path = '-';
    let result: HttpResponse;
    try {
      if (`${request.method} ${request.url} HTTP/1.1`.length > MAX_REQUEST_LINE) {
        const message = `The request line must not be longer than ${MAX_REQUEST_LINE} bytes`;
        throw httpError(414, message, { connection: 'close' });
      }
      const found = findRoute(request);
      path = found.route.path;
      result = await found.route.handle(found.request);
    } catch (error) {
      result = toResponse(error);
      if (result.status === 500) onBug(error, requestId);
    }
    write(response, result, requestId);
    log({
      service,
      method: request.method ?? '-', // Node accepts known methods only, so this is not a secret
      path,
      status: result.status,
      durationMs: Math.round(performance.now() - start),
      requestId,
    });
  };
}

function requestIdOf({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : randomBytes(16).toString('hex');
}

function toResponse(error: unknown): HttpResponse {
  if (error instanceof HttpError) return jsonResponse(error.status, error.body, error.headers);
  return jsonResponse(500, { message: 'Internal error' });
}

function write(
  response: ServerResponse,
  { status, headers, body }: HttpResponse,
  requestId: string,
): void {
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

function urlOf(server: Server): string {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('The server has no TCP port');
  const host = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return `http://${host}:${bound.port}`;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    // A client that keeps its connection busy must not keep the program running.
    setTimeout(() => server.closeAllConnections(), CLOSE_AFTER_MS).unref();
  });
}
