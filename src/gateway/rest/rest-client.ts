import { type Dispatcher, Pool } from 'undici';
import { exchange, neverConnected, type RestResponse } from './exchange.ts';
import type { Path } from './path.ts';
import { badResponse, type ServiceName, unauthenticated } from './rest-error.ts';
import { watchSending } from './sent-witness.ts';
import { startTimeLimit } from './time-limit.ts';

/** Limits of the calls to one service. */
export interface RestLimits {
  readonly connectMs: number;
  /** One GET, from the call to the last byte read. Includes the wait for a connection. */
  readonly getMs: number;
  /** One write. Neither a disconnect of the caller nor the caller's deadline shortens it. */
  readonly writeMs: number;
  /** Size of a response, counted while reading. */
  readonly maxBytes: number;
}

/** How many connections to a service may be open. */
export interface ConnectionLimits {
  readonly reads: number;
  readonly writes: number;
}

/**
 * Waits until a caller may use one of the connections for reads, which all callers share.
 * Resolves to the function that ends the use, or to undefined if `stop` resolves first.
 */
export type EnterReads = (
  authorization: string,
  stop: () => Promise<void>,
) => Promise<(() => void) | undefined>;

/** One service and how to call it. */
export interface RestServiceOptions {
  readonly service: ServiceName;
  readonly baseUrl: string;
  readonly limits: RestLimits;
  /** Items that one call asks for at most. */
  readonly pageMax: number;
  /** Whether calls need the caller's key. */
  readonly needsCredential: boolean;
  /** 64 for reads and 16 for writes if left out. */
  readonly connections?: ConnectionLimits;
  /** If left out, callers get a connection in the order of their reads. */
  readonly enterReads?: EnterReads;
}

/** Query parameters. `undefined` parameters are not sent. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** Calls one service on behalf of one caller. Every failure is a `RestError`. */
export interface RestClient {
  readonly service: ServiceName;
  /** Items that one call of a list asks for at most. */
  readonly pageMax: number;
  get(path: Path, query?: Query): Promise<unknown>;
  /**
   * Sends a write. With an `idempotencyKey`, a failure before the request's headers were
   * written has the outcome NOT_SENT.
   */
  send(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: Path,
    body?: object,
    idempotencyKey?: string,
  ): Promise<RestResponse>;
}

/** One service. Its connections outlive the requests that use them. */
export interface RestService {
  /**
   * A client that sends this `authorization` header. If the service needs a credential and
   * there is none, every call fails with 401 and nothing is sent.
   */
  as(authorization: string | undefined): RestClient;
  /** A client without a credential, for calls that need none. */
  anonymous(): RestClient;
  close(): Promise<void>;
}

const CONNECTIONS: ConnectionLimits = { reads: 64, writes: 16 };
/** Below the five seconds after which Node servers close an idle connection. */
const KEEP_ALIVE_MS = 4_000;

/** What the clients of a service share. */
interface Service extends RestServiceOptions {
  readonly origin: string;
  /** Path of the base address, without a slash at its end. */
  readonly base: string;
  readonly reads: Pool;
  readonly writes: Pool;
}

/**
 * Opens the connections to a service. Reads share connections. Every write opens a new
 * one, so a refused connection proves that nothing was sent, and no write can meet a
 * connection that the service has closed. Nothing is retried and no redirect is followed.
 */
export function createRestService(options: RestServiceOptions): RestService {
  const { origin, pathname } = new URL(options.baseUrl);
  const { connections = CONNECTIONS } = options;
  const connect = { timeout: options.limits.connectMs };
  const reads = new Pool(origin, {
    connect,
    connections: connections.reads,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  const writes = new Pool(origin, {
    connect,
    connections: connections.writes,
    pipelining: 0,
    // The witness of what was sent reads HTTP/1.
    allowH2: false,
  });
  const base = pathname.replace(/\/+$/, '');
  const service: Service = { ...options, origin, base, reads, writes };
  return {
    as: (authorization) => createClient(service, authorization, options.needsCredential),
    anonymous: () => createClient(service, undefined, false),
    close: async () => {
      await Promise.all([reads.close(), writes.close()]);
    },
  };
}

function createClient(
  shared: Service,
  authorization: string | undefined,
  needsCredential: boolean,
): RestClient {
  const { service, pageMax, limits, reads, writes } = shared;
  const isRejected = needsCredential && authorization === undefined;

  async function call(request: Omit<Call, 'authorization'>): Promise<RestResponse> {
    if (isRejected) throw unauthenticated(service, request.method);
    return send(shared, { ...request, authorization });
  }

  return {
    service,
    pageMax,
    get: async (path, query) => {
      const { body } = await call({
        pool: reads,
        method: 'GET',
        path: path + toSearch(query),
        timeoutMs: limits.getMs,
      });
      if (body === undefined) throw badResponse(service, 'GET');
      return body;
    },
    send: (method, path, body, idempotencyKey) =>
      call({ pool: writes, method, path, timeoutMs: limits.writeMs, body, idempotencyKey }),
  };
}

interface Call {
  readonly pool: Pool;
  readonly method: Dispatcher.HttpMethod;
  readonly path: string;
  readonly timeoutMs: number;
  readonly authorization: string | undefined;
  readonly body?: object | undefined;
  readonly idempotencyKey?: string | undefined;
}

async function send(
  { service, origin, base, limits, enterReads }: Service,
  { pool, method, path, timeoutMs, authorization, body, idempotencyKey }: Call,
): Promise<RestResponse> {
  const witness = idempotencyKey === undefined ? undefined : watchSending(idempotencyKey);
  const { signal, clear } = startTimeLimit(timeoutMs);
  let leave: (() => void) | undefined;
  try {
    if (method === 'GET') leave = await enterReads?.(authorization ?? '', () => abortion(signal));
    return await exchange({
      service,
      url: `${origin}${base}${path}`,
      options: {
        dispatcher: pool,
        method,
        headers: {
          accept: 'application/json',
          ...(authorization === undefined ? {} : { authorization }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal,
      },
      maxBytes: limits.maxBytes,
      neverLeft: (error) => (witness === undefined ? neverConnected(error) : !witness.sent),
    });
  } finally {
    clear();
    leave?.();
    witness?.stop();
  }
}

function abortion(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
}

function toSearch(query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.append(name, String(value));
  }
  return search.size === 0 ? '' : `?${search}`;
}
