import { type Dispatcher, Pool, request } from 'undici';
import type { Path } from './path.ts';
import { type Outcome, RestError, type ServiceName } from './rest-error.ts';
import { watchSending } from './sent-witness.ts';

/** Limits of the calls to one service. */
export interface RestLimits {
  readonly connectMs: number;
  /** One GET, from the first byte sent to the last byte read. */
  readonly getMs: number;
  /** One write, on its own clock: neither the caller's disconnect nor its deadline stops it. */
  readonly writeMs: number;
  /** Size of an answer, counted while reading. */
  readonly maxBytes: number;
}

/** Query parameters; those left `undefined` are not sent. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** A successful answer to a write; every service is free to say as little as it likes. */
export interface WriteAnswer {
  /** `undefined` when the answer was empty. */
  readonly body: unknown;
  readonly location: string | undefined;
}

/** How the sources speak to one service on behalf of one caller. Every failure is a {@link RestError}. */
export interface RestClient {
  readonly service: ServiceName;
  get(path: Path, query?: Query): Promise<unknown>;
  /** With an `idempotencyKey`, a failure before its headers were written is a certain "not sent". */
  send(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: Path,
    body?: object,
    idempotencyKey?: string,
  ): Promise<WriteAnswer>;
}

/** One service: its connections outlive the requests that use them. */
export interface RestService {
  /**
   * A client that sends this `authorization`. For a service that needs one, a caller
   * without it meets 401 before anything is sent.
   */
  as(authorization: string | undefined): RestClient;
  /** A client without credential, for what needs none. */
  anonymous(): RestClient;
  close(): Promise<void>;
}

const CONNECTIONS = 64;
const WRITE_CONNECTIONS = 16;
/** Below the five seconds after which Node servers close an idle connection. */
const KEEP_ALIVE_MS = 4_000;

/** Errors of connecting, after which certainly not a byte of the request has left. */
const NEVER_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/**
 * Opens the way to a service. Reads share connections; every write gets a fresh one,
 * so that a refused connection is a certain "not sent" and a stale one cannot occur.
 * Nothing is repeated and no redirect is followed.
 */
export function createRestService(
  service: ServiceName,
  baseUrl: string,
  limits: RestLimits,
  needsCredential: boolean,
): RestService {
  const { origin, pathname } = new URL(baseUrl);
  const base = pathname.replace(/\/+$/, '');
  const connect = { timeout: limits.connectMs };
  const reads = new Pool(origin, {
    connect,
    connections: CONNECTIONS,
    keepAliveTimeout: KEEP_ALIVE_MS,
  });
  const writes = new Pool(origin, {
    connect,
    connections: WRITE_CONNECTIONS,
    pipelining: 0,
    // The witness of what was sent reads HTTP/1.
    allowH2: false,
  });

  function client(authorization: string | undefined, refused: boolean): RestClient {
    const headers = {
      accept: 'application/json',
      ...(authorization === undefined ? {} : { authorization }),
    };

    async function call(
      dispatcher: Pool,
      method: Dispatcher.HttpMethod,
      path: string,
      timeoutMs: number,
      body?: object,
      idempotencyKey?: string,
    ): Promise<WriteAnswer> {
      if (refused) {
        throw new RestError(service, method, 'status', { status: 401, outcome: 'REJECTED' });
      }
      const options: Options = {
        dispatcher,
        method,
        headers: {
          ...headers,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      };
      const url = `${origin}${base}${path}`;
      const witness = idempotencyKey === undefined ? undefined : watchSending(idempotencyKey);
      try {
        return await exchange(service, limits.maxBytes, url, options, (error) =>
          witness === undefined ? neverConnected(error) : !witness.sent,
        );
      } finally {
        witness?.stop();
      }
    }

    return {
      service,
      get: async (path, query) => {
        const answer = await call(reads, 'GET', path + toSearch(query), limits.getMs);
        if (answer.body !== undefined) return answer.body;
        throw new RestError(service, 'GET', 'bad-response');
      },
      send: (method, path, body, idempotencyKey) =>
        call(writes, method, path, limits.writeMs, body, idempotencyKey),
    };
  }

  return {
    as: (authorization) => client(authorization, needsCredential && authorization === undefined),
    anonymous: () => client(undefined, false),
    close: async () => {
      await Promise.all([reads.close(), writes.close()]);
    },
  };
}

type ConnectionError = Error & { readonly code?: string; readonly syscall?: string };

/** An established connection may fail by the same codes, but then while reading or writing. */
function neverConnected({ code = '', syscall }: ConnectionError): boolean {
  return NEVER_CONNECTED.has(code) && syscall !== 'read' && syscall !== 'write';
}

type Options = NonNullable<Parameters<typeof request>[1]> & { method: Dispatcher.HttpMethod };

async function exchange(
  service: ServiceName,
  maxBytes: number,
  url: string,
  options: Options,
  neverLeft: (error: ConnectionError) => boolean,
): Promise<WriteAnswer> {
  const { method } = options;
  try {
    const { statusCode: status, headers, body } = await request(url, options);
    const text = await readText(body, maxBytes);
    const content = text === undefined ? undefined : parse(text);
    if (status < 200 || status > 299) {
      const outcome = outcomeOf(status);
      throw new RestError(service, method, 'status', { status, body: content, outcome });
    }
    if (text === undefined || content === NOT_JSON) {
      throw new RestError(service, method, 'bad-response');
    }
    const { location } = headers;
    return { body: content, location: typeof location === 'string' ? location : undefined };
  } catch (cause) {
    if (cause instanceof RestError) throw cause;
    const error = cause as ConnectionError;
    const outcome: Outcome = neverLeft(error) ? 'NOT_SENT' : 'UNKNOWN';
    const failure = error.name === 'TimeoutError' ? 'timeout' : 'unreachable';
    throw new RestError(service, method, failure, { outcome, cause });
  }
}

/** What a status other than 2xx says of a write. */
function outcomeOf(status: number): Outcome {
  if (status === 429) return 'NOT_SENT';
  return status >= 400 && status < 500 && status !== 408 ? 'REJECTED' : 'UNKNOWN';
}

/** The whole answer as text; `undefined` when it is larger than allowed. */
async function readText(body: Dispatcher.ResponseData['body'], maxBytes: number) {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > maxBytes) return undefined; // leaving the loop closes the connection
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const NOT_JSON = Symbol('not JSON');

function parse(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
}

function toSearch(query: Query = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.append(name, String(value));
  }
  return search.size === 0 ? '' : `?${search}`;
}
