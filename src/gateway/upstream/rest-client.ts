import { type Call, call } from './call.ts';
import type { Caller } from './caller.ts';
import type { RestResponse } from './exchange.ts';
import { type Path, routeOf } from './path.ts';
import { createReads } from './reads.ts';
import { badResponse, type RestError, type ServiceName, unauthenticated } from './rest-error.ts';
import {
  openConnections,
  type RestServiceOptions,
  type Service,
  type ServiceUse,
} from './service.ts';

/** Query parameters. `undefined` parameters are not sent. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** The methods of writes. */
export type WriteMethod = 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Calls one service on behalf of one caller. Every failure is a `RestError`. */
export interface RestClient {
  readonly service: ServiceName;
  /** Maximum items of a list per call. */
  readonly pageMax: number;
  get(path: Path, query?: Query): Promise<unknown>;
  /**
   * Whether a read that may be wasted can be made now: the key is accepted, a connection is free,
   * and the request has made less than half of its calls.
   */
  hasSpare(): boolean;
  /**
   * Sends a write, once. With an `idempotencyKey`, a failure before the request's headers were
   * written has the outcome NOT_SENT.
   */
  send(
    method: WriteMethod,
    path: Path,
    body?: object,
    idempotencyKey?: string,
  ): Promise<RestResponse>;
  /**
   * Rejects if the gateway itself does not allow the caller to send a write. `send` checks the
   * same; use this for a write that is recorded first.
   */
  admit(method: WriteMethod, path: Path, body?: object): Promise<void>;
  /**
   * Creates the error for a 2xx response with the wrong shape.
   *
   * @param cause in words, for the log
   */
  unusable(method: 'GET' | WriteMethod, path: string, cause: string): RestError;
  /** Notes that list items are left out because they are not records. */
  skip(path: string, count: number): void;
}

/** One service. Its connections outlive the requests that use them. */
export interface RestService {
  /**
   * A client for a caller. If the service needs a credential and the caller has none, or the
   * service has just rejected it, every call fails with 401 and nothing is sent.
   */
  as(caller: Caller): RestClient;
  /** A client without a credential, for calls that need none. */
  anonymous(caller: Caller): RestClient;
  /** The current use of its connections. */
  use(): ServiceUse;
  close(): Promise<void>;
}

/**
 * Opens the connections to a service. Reads share connections. Every write opens a new one, so a
 * refused connection proves that nothing was sent, and no write can use a connection that the
 * service is closing. Only reads are retried, and redirects are not followed.
 */
export function createRestService(options: RestServiceOptions): RestService {
  const { service, use, close } = openConnections(options);
  return {
    as: (caller) => createClient(service, caller, options.needsCredential),
    anonymous: (caller) => createClient(service, { ...caller, authorization: undefined }, false),
    use,
    close,
  };
}

function createClient(shared: Service, caller: Caller, needsCredential: boolean): RestClient {
  const { service, pageMax, limits, keyCheck } = shared;
  const { authorization, owner, allowance, known } = caller;

  /** Not async, because each additional promise adds to the cost of a call. */
  function attempt(request: Call): Promise<RestResponse> {
    const rejection = () => unauthenticated(service, request.method);
    if (!needsCredential) return call(shared, caller, request);
    if (authorization === undefined) return Promise.reject(rejection());
    if (keyCheck === undefined) return call(shared, caller, request);
    return keyCheck.call(owner, rejection, () => {
      // The call may have waited for another one with the same key.
      const availableMs = Math.min(request.availableMs, allowance.remainingMs());
      const { method, path, timeoutMs, body, idempotencyKey } = request;
      return call(shared, caller, {
        method,
        path,
        timeoutMs,
        availableMs,
        body,
        idempotencyKey,
      });
    });
  }

  const report = (method: string, path: string, kind: string, cause: string) => {
    const route = routeOf(path) ?? '-';
    shared.onFailure?.({ service, method, route, status: 0, kind, cause });
  };
  const unusable = (method: string, path: string, cause: string) => {
    report(method, path, 'shape', cause);
    return badResponse(service, method);
  };

  const reads = createReads(shared, caller, attempt, unusable);

  async function write(request: Call): Promise<RestResponse> {
    const { onWrite } = shared;
    onWrite?.(owner);
    try {
      return await attempt(request);
    } finally {
      known?.forget();
      onWrite?.(owner);
    }
  }

  return {
    service,
    pageMax,
    get: (path, query) => reads.get(path + toSearch(query)),
    hasSpare: () =>
      allowance.hasSpareCalls() &&
      shared.reads.gate.hasPlace(owner) &&
      (keyCheck === undefined || keyCheck.isAccepted(owner)),
    send: (method, path, body, idempotencyKey) =>
      write({
        method,
        path,
        body,
        idempotencyKey,
        timeoutMs: limits.writeMs,
        availableMs: allowance.remainingMs(),
      }),
    // For callers with a key, the services decide.
    admit: async () => {},
    unusable,
    skip: (path, count) => {
      allowance.usage.skipped += count;
      report('GET', path, 'item', 'items of the list are not records and are left out');
    },
  };
}

function toSearch(query: Query = {}): string {
  let search = '';
  for (const name of Object.keys(query)) {
    const value = query[name];
    if (value === undefined) continue;
    const text = typeof value === 'number' ? value : encodeURIComponent(value);
    search += `${search === '' ? '?' : '&'}${encodeURIComponent(name)}=${text}`;
  }
  return search;
}
