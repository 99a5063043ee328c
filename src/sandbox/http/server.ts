import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream/promises';
import { HttpError, httpError } from './http-error.ts';
import { type HttpResponse, jsonResponse, type Outcome } from './response.ts';
import { createRouter, type HttpRequest, MAX_REQUEST_LINE, type Route } from './router.ts';

/** One request in the log. `path` is the pattern of the route, so it cannot contain a secret. */
export interface RequestLogEntry {
  readonly service: string;
  /** When the request arrived, by the clock of the machine. */
  readonly at: Date;
  readonly method: string;
  /** `-` if no route matches. */
  readonly path: string;
  /** The ids in the path, as far as they have the form of the service's ids. */
  readonly ids: readonly string[];
  /** 0 if a fault prevented a response. */
  readonly status: number;
  readonly durationMs: number;
  /**
   * The id of the request, if the sandbox made it; the first eight digits of an id that the caller
   * sent; `-` for any other id that the caller sent.
   */
  readonly requestId: string;
  /** The id of the fault that affected the request. */
  readonly fault?: string;
  /** Its kind, because the fault may be removed. */
  readonly faultKind?: string;
}

/** A request that has found its route. */
export interface RoutedRequest {
  readonly route: Route;
  readonly request: HttpRequest;
}

/** Options of {@link createHandler}. */
export interface ServiceOptions {
  /** The name of the service in the log. */
  readonly service: string;
  readonly routes: readonly Route[];
  /** Called once for every request. */
  readonly log: (entry: RequestLogEntry) => void;
  /** Called with errors that are bugs. The caller of the service sees only a 500. */
  readonly onBug: (error: unknown, requestId: string) => void;
  /** Throws an `HttpError` for a request that the service does not accept at all. */
  readonly admit?: (message: IncomingMessage) => void;
  /** Decides what the caller gets, instead of the response of `handle`. */
  readonly interfere?: (
    routed: RoutedRequest,
    handle: (work: () => Promise<HttpResponse>) => Promise<HttpResponse>,
  ) => Promise<Outcome>;
}

const REQUEST_ID = /^[\w.-]{1,64}$/;

/** Creates the function that handles the requests of a service. It resolves when they are done. */
export function createHandler({ service, routes, log, onBug, admit, interfere }: ServiceOptions) {
  const findRoute = createRouter(routes);

  async function respond(message: IncomingMessage, requestId: string) {
    /** Turns errors into responses. */
    const settle = async (work: () => Promise<HttpResponse>): Promise<HttpResponse> => {
      try {
        return await work();
      } catch (error) {
        const response = toResponse(error);
        if (response.status === 500) onBug(error, requestId);
        return response;
      }
    };
    let routed: RoutedRequest | undefined;
    let outcome: Outcome | undefined;
    const response = await settle(async () => {
      checkRequestLine(message);
      admit?.(message);
      routed = findRoute(message);
      const { route, request } = routed;
      if (interfere === undefined) return route.handle(request);
      outcome = await interfere(routed, settle);
      return 'response' in outcome ? outcome.response : jsonResponse(500, {});
    });
    return { routed, outcome: outcome ?? ({ kind: 'complete', response } satisfies Outcome) };
  }

  return async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const at = new Date();
    const start = performance.now();
    const sent = sentRequestId(message);
    const requestId = sent ?? randomBytes(16).toString('hex');
    const { routed, outcome } = await respond(message, requestId);
    deliver(response, outcome, requestId);
    const status = 'response' in outcome ? outcome.response.status : 0;
    log({
      service,
      at,
      method: message.method ?? '-', // Node accepts known methods only, so this is not a secret
      path: routed?.route.path ?? '-',
      ids: routed === undefined ? [] : idsOf(routed.request, status),
      status,
      durationMs: Math.round(performance.now() - start),
      requestId: sent === undefined ? requestId : shortened(sent),
      ...(outcome.fault === undefined
        ? {}
        : { fault: outcome.fault.id, faultKind: outcome.fault.kind }),
    });
    // A connection that a fault keeps open is not waited for.
    if (outcome.kind !== 'open') await finished(response).catch(() => {});
  };
}

function checkRequestLine({ method, url }: IncomingMessage): void {
  if (`${method} ${url} HTTP/1.1`.length <= MAX_REQUEST_LINE) return;
  const message = `The request line must not be longer than ${MAX_REQUEST_LINE} bytes`;
  throw httpError(414, message, { connection: 'close' });
}

const RECORD_ID = /^[0-9a-f]{8}7469[0-9a-f]{12}$/;

/**
 * The ids in a path. A caller may have put anything there, also a secret, so other text is
 * included only if a record was found by it.
 */
function idsOf({ params }: HttpRequest, status: number): string[] {
  const found = status >= 200 && status < 300;
  return Object.values(params).filter((value) => found || RECORD_ID.test(value));
}

function sentRequestId({ headers }: IncomingMessage): string | undefined {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : undefined;
}

/** The form of a UUID, also without dashes. */
const UUID = /^([0-9a-f]{8})-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/;

/**
 * What the log shows of an id that a caller sent. A caller may have put anything there, also a card
 * number or the key of an app, which is also a UUID: nobody can use the first digits of one.
 */
function shortened(sent: string): string {
  return UUID.exec(sent)?.[1] ?? '-';
}

function toResponse(error: unknown): HttpResponse {
  if (error instanceof HttpError) return jsonResponse(error.status, error.body, error.headers);
  return jsonResponse(500, { message: 'Internal error' });
}

function deliver(response: ServerResponse, outcome: Outcome, requestId: string): void {
  if (outcome.kind === 'closed') response.destroy();
  if (outcome.kind === 'closed' || outcome.kind === 'open') return;
  const { body = '' } = outcome.response;
  writeHead(response, outcome.response, requestId);
  if (outcome.kind === 'complete') {
    response.end(body);
  } else {
    // The connection is closed only once the first half has left.
    response.write(body.slice(0, Math.floor(body.length / 2)), () => response.destroy());
  }
}

function writeHead(
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
}

/**
 * Prints an unexpected error: its stack, and its code if it has one. An error of a database also has
 * the statement and its values, among them keys and addresses, which no log may contain.
 */
export function printBug(error: unknown): void {
  if (error instanceof Error) {
    const { code } = error as NodeJS.ErrnoException; // Node and both drivers set it
    console.error(`${error.stack}${typeof code === 'string' ? ` (${code})` : ''}`);
  } else {
    console.error('Something other than an error was thrown.');
  }
}
