import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { wantsPage } from './accept.ts';
import { createEndLater } from './closing.ts';
import type { Execute, Streamed } from './executed.ts';
import { type AllowedHosts, corsHeaders, createCheckHost } from './hosts.ts';
import type { Load } from './load.ts';
import { checkAccept, checkMediaType } from './media-types.ts';
import { GONE, readBody } from './read-body.ts';
import { readParams } from './read-params.ts';
import type { Readiness } from './readiness.ts';
import { type HttpError, hasBody, sendError } from './respond.ts';
import { sendStream } from './send-stream.ts';

/** Limits on what clients may send. */
export interface HttpRules {
  readonly maxBodyBytes: number;
  readonly maxJsonDepth: number;
  readonly maxResponseBytes: number;
  readonly allowedHosts: AllowedHosts;
  readonly corsOrigins: readonly string[];
}

/** Handlers of accepted requests. */
export interface Endpoints {
  readonly execute: Execute;
  /** Responds to a request for an export, or returns why it cannot. */
  serveExport(
    request: IncomingMessage,
    response: ServerResponse,
    body: string,
  ): Promise<HttpError | undefined>;
  /** Serves a page or one of its files. Returns false if the path has none. */
  servePage(request: IncomingMessage, response: ServerResponse, path: string): boolean;
  readonly readiness: Readiness;
  /** Serves `/`; undefined if the status page is off. */
  readonly serveStatus: ((request: IncomingMessage, response: ServerResponse) => void) | undefined;
  /** Called with errors that are bugs in the gateway. */
  onBug(error: unknown): void;
}

const PATH = '/graphql';
const EXPORT = '/export';
const HEALTH = '/health';
const READY = '/ready';

/**
 * Handles HTTP requests: rejects invalid ones before reading or parsing anything, and dispatches
 * the rest.
 */
export function createHandler(rules: HttpRules, load: Load, endpoints: Endpoints): RequestListener {
  const checkHost = createCheckHost(rules.allowedHosts);
  const post = createPost(rules, endpoints);
  const postExport = createPostExport(endpoints);

  return (request, response) => {
    const send = (error: HttpError) => sendError(request, response, error);
    const path = pathOf(request.url);
    if (endpoints.readiness.isDraining()) response.setHeader('connection', 'close');
    if (hasBody(request) && takesNoBody(request, path)) return send(BODY_NOT_ACCEPTED);
    // Load balancers use an address here, not one of the allowed names.
    if (path === HEALTH) return void response.writeHead(200, { 'content-length': 0 }).end();
    if (path === READY) return showReadiness(endpoints.readiness, response);
    const wrongHost = checkHost(request.headers.host);
    if (wrongHost !== undefined) return send(wrongHost);
    if (endpoints.servePage(request, response, path)) return;
    if (path === '/' && isRead(request)) {
      if (endpoints.serveStatus !== undefined) {
        return endpoints.serveStatus(request, response);
      }
      if (wantsPage(request.headers.accept))
        return void response.writeHead(302, { location: PATH.slice(1) }).end();
    }
    if (path !== PATH && path !== EXPORT) return send(NOT_FOUND);
    if (rules.corsOrigins.length > 0) {
      const cors = corsHeaders(request, rules.corsOrigins);
      for (const [name, value] of Object.entries(cors)) response.setHeader(name, value);
    }
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    if (request.method !== 'POST') {
      return send(namesPersistedQuery(request.url) ? NO_PERSISTED_QUERY : METHOD_NOT_ALLOWED);
    }
    const invalid = checkMediaType(request) ?? (path === PATH ? checkAccept(request) : undefined);
    if (invalid !== undefined) return send(invalid);
    const rejected = load.check();
    if (rejected !== undefined) return send(rejected);
    void receive(request, response, path === EXPORT ? postExport : post).catch((error) => {
      endpoints.onBug(error);
      send(UNEXPECTED);
    });
  };

  async function receive(request: IncomingMessage, response: ServerResponse, run: Run) {
    const body = await readBody(request, response, rules.maxBodyBytes, load.arrivals);
    if (body === GONE) return;
    if (typeof body !== 'string') return sendError(request, response, body);
    const leave = load.enter();
    if (typeof leave !== 'function') return sendError(request, response, leave);
    try {
      await run(request, response, body);
    } finally {
      leave();
    }
  }
}

/** Responds to a request that has arrived completely. */
type Run = (request: IncomingMessage, response: ServerResponse, body: string) => Promise<void>;

function createPost({ maxJsonDepth, maxResponseBytes }: HttpRules, { execute }: Endpoints): Run {
  const endLater = createEndLater();

  function run(request: IncomingMessage, response: ServerResponse, body: string) {
    const params = readParams(body, maxJsonDepth);
    return 'status' in params ? params : execute.run(request, response, body, params);
  }

  return async (request, response, body) => {
    const joined = execute.join(request, body);
    const executed = (joined && (await joined)) ?? (await run(request, response, body));
    if ('code' in executed) return sendError(request, response, executed);
    if ('stream' in executed) return stream(response, executed);
    const { status, headers, text, bytes, end } = executed;
    const isTooLarge = bytes > maxResponseBytes;
    end(isTooLarge ? 413 : status);
    if (isTooLarge) {
      return sendError(request, response, {
        status: 413,
        code: 'RESPONSE_TOO_LARGE',
        message: `The response would be larger than ${maxResponseBytes} bytes. Request less at once. If this was a mutation, it was executed: repeat it only with the same idempotency key.`,
      });
    }
    // Alternating names and values, which Node writes fastest.
    const all = ['content-length', String(bytes), ...ALWAYS];
    for (const name of Object.keys(headers)) all.push(name, headers[name] ?? '');
    response.writeHead(status, all);
    // As a string, so that the head and the body are sent in one write. Latin-1 is faster.
    endLater(response, text, bytes === text.length ? 'latin1' : 'utf8');
  };
}

/** Sends a response that goes on. The request counts as answered at once. */
function stream(response: ServerResponse, { status, headers, stream, end }: Streamed): void {
  response.writeHead(status, [...ALWAYS, ...UNBUFFERED, ...Object.entries(headers).flat()]);
  const ended = () => end(status);
  sendStream(response, stream).then(ended, ended);
}

function createPostExport({ serveExport }: Endpoints): Run {
  return async (request, response, body) => {
    const error = await serveExport(request, response, body);
    if (error !== undefined) sendError(request, response, error);
  };
}

/** Some proxies would wait for more. */
const UNBUFFERED = ['x-accel-buffering', 'no'] as const;
const ALWAYS = ['cache-control', 'no-store', 'x-content-type-options', 'nosniff'] as const;

function showReadiness(readiness: Readiness, response: ServerResponse): void {
  const { status, body } = readiness.read();
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  });
  response.end(body);
}

/** The part before the query. */
function pathOf(url = ''): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Whether the URL of a request has the hash of an automatic persisted query. */
function namesPersistedQuery(url = ''): boolean {
  const params = new URLSearchParams(url.slice(pathOf(url).length));
  return params.get('extensions')?.includes('"persistedQuery"') ?? false;
}

/** Whether a request must not have a body. */
function takesNoBody({ method }: IncomingMessage, path: string): boolean {
  if (path === HEALTH || path === READY) return true;
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

const BODY_NOT_ACCEPTED: HttpError = {
  status: 400,
  code: 'BAD_REQUEST',
  message: 'Send this request without a body.',
};

const NOT_FOUND: HttpError = {
  status: 404,
  code: 'NOT_FOUND',
  message: 'This path does not exist. Send GraphQL requests to /graphql, and exports to /export.',
};

const METHOD_NOT_ALLOWED: HttpError = {
  status: 405,
  code: 'METHOD_NOT_ALLOWED',
  message:
    'Send requests to this path with POST. That applies to subscriptions, too: WebSocket is not supported.',
  headers: { allow: 'POST' },
};

/** This message tells clients to send the text with POST. */
const NO_PERSISTED_QUERY: HttpError = {
  ...METHOD_NOT_ALLOWED,
  code: 'PERSISTED_QUERY_NOT_SUPPORTED',
  message: 'PersistedQueryNotSupported',
};

const UNEXPECTED = {
  status: 500,
  code: 'INTERNAL_SERVER_ERROR',
  message: 'Unexpected error.',
} as const;
