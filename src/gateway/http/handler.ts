import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { GraphQLParams } from 'graphql-yoga';
import { corsHeaders } from './cors.ts';
import { type AllowedHosts, checkHost } from './hosts.ts';
import type { Load } from './load.ts';
import { GONE, readBody } from './read-body.ts';
import { readParams } from './read-params.ts';
import type { Readiness } from './readiness.ts';
import { type HttpError, sendError } from './respond.ts';

/** Settings of what clients may send. */
export interface HttpRules {
  readonly maxBodyBytes: number;
  readonly maxJsonDepth: number;
  readonly maxResponseBytes: number;
  readonly allowedHosts: AllowedHosts;
  readonly corsOrigins: readonly string[];
}

/** What the execution of a request has led to. */
export interface Executed {
  readonly result: Response;
  /** Writes the line of the request to the log. Call when the status of the answer is known. */
  log(status: number): void;
}

/** What answers the requests that are accepted. */
export interface Answering {
  /** Executes a GraphQL request. The body was read already. */
  execute(
    request: IncomingMessage,
    response: ServerResponse,
    params: GraphQLParams,
  ): Promise<Executed>;
  /** Serves a page or one of its files. Returns false if there is none at this path. */
  servePage(request: IncomingMessage, response: ServerResponse, path: string): boolean;
  readonly readiness: Readiness;
  /** Called with errors that are bugs in the gateway. */
  onBug(error: unknown): void;
}

const PATH = '/graphql';
const HEALTH = '/health';
const READY = '/ready';

/**
 * Answers HTTP requests: rejects what no client of the gateway sends, before anything is read
 * or parsed, and passes on the rest.
 */
export function createHandler(rules: HttpRules, load: Load, answering: Answering): RequestListener {
  const post = createPost(rules, answering);

  return (request, response) => {
    const send = (error: HttpError) => sendError(request, response, error);
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    if (answering.readiness.isDraining()) response.setHeader('connection', 'close');
    // Load balancers call these by an address, not by one of the allowed names.
    if (path === HEALTH) return void response.writeHead(200, { 'content-length': 0 }).end();
    if (path === READY) return showReadiness(answering.readiness, response);
    const wrongHost = checkHost(request.headers.host, rules.allowedHosts);
    if (wrongHost !== undefined) return send(wrongHost);
    if (answering.servePage(request, response, path)) return;
    if (path === '/' && isBrowser(request)) {
      return void response.writeHead(302, { location: PATH }).end();
    }
    if (path !== PATH) return send(NOT_FOUND);
    const cors = corsHeaders(request, rules.corsOrigins);
    for (const [name, value] of Object.entries(cors)) response.setHeader(name, value);
    if (request.method === 'OPTIONS') return void response.writeHead(204).end();
    if (request.method !== 'POST') return send(METHOD_NOT_ALLOWED);
    const invalid = checkMediaType(request);
    if (invalid !== undefined) return send(invalid);
    const leave = load.enter();
    if (typeof leave !== 'function') return send(leave);
    void post(request, response)
      .catch((error) => {
        answering.onBug(error);
        if (!response.headersSent) send(UNEXPECTED);
        else response.destroy();
      })
      .finally(leave);
  };
}

function createPost(
  { maxBodyBytes, maxJsonDepth, maxResponseBytes }: HttpRules,
  { execute }: Answering,
) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request, maxBodyBytes);
    if (body === GONE) return;
    const params = typeof body === 'string' ? readParams(body, maxJsonDepth) : body;
    if ('status' in params) return sendError(request, response, params);
    const { result, log } = await execute(request, response, params);
    const text = Buffer.from(await result.arrayBuffer());
    const isTooLarge = text.length > maxResponseBytes;
    log(isTooLarge ? 413 : result.status);
    if (isTooLarge) {
      return sendError(request, response, {
        status: 413,
        code: 'RESPONSE_TOO_LARGE',
        message: `The response would have more than ${maxResponseBytes} bytes. Request less at once.`,
      });
    }
    response.writeHead(result.status, {
      ...Object.fromEntries(result.headers),
      'content-length': text.length,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    response.end(text);
  };
}

function showReadiness(readiness: Readiness, response: ServerResponse): void {
  const { status, body } = readiness.read();
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  });
  response.end(body);
}

/** Whether a person opens this address. */
function isBrowser({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && (headers.accept?.includes('text/html') ?? false);
}

/**
 * Accepts only JSON. A browser sends forms and plain text to other sites without asking them,
 * and adds stored Basic credentials. For JSON it must first ask the gateway, which allows it
 * for the origins in CORS_ORIGINS only.
 */
function checkMediaType({ headers }: IncomingMessage): HttpError | undefined {
  const [type = '', ...parameters] = (headers['content-type'] ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  const isUtf8 = charset === undefined || /^charset="?utf-8"?$/.test(charset);
  const isPlain = (headers['content-encoding'] ?? 'identity') === 'identity';
  return type === 'application/json' && isUtf8 && isPlain ? undefined : UNSUPPORTED;
}

const UNSUPPORTED: HttpError = {
  status: 415,
  code: 'UNSUPPORTED_MEDIA_TYPE',
  message:
    'The request must be a JSON object with content-type application/json, in UTF-8, and not compressed.',
};

const NOT_FOUND: HttpError = {
  status: 404,
  code: 'NOT_FOUND',
  message: 'There is nothing at this path. Send GraphQL requests to /graphql.',
};

const METHOD_NOT_ALLOWED: HttpError = {
  status: 405,
  code: 'METHOD_NOT_ALLOWED',
  message: 'Send GraphQL requests with POST.',
  headers: { allow: 'POST' },
};

const UNEXPECTED = {
  status: 500,
  code: 'INTERNAL_SERVER_ERROR',
  message: 'Unexpected error.',
} as const;
