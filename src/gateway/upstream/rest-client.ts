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
  /** Items that one call of a list asks for at most. */
  readonly pageMax: number;
  get(path: Path, query?: Query): Promise<unknown>;
  /**
   * Whether a read that may be of no use can be made now: the key is accepted, a connection is
   * free, and the request has made less than half of its calls.
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
   * Rejects if the gateway itself would not let the caller send a write. `send` checks the same;
   * this is for a write that must not be recorded before.
   */
  admit(method: WriteMethod, path: Path, body?: object): Promise<void>;
  /**
   * The error for a response with 2xx that has not the shape that it should have.
   *
   * @param cause in words, for the log
   */
  unusable(method: 'GET' | WriteMethod, path: string, cause: string): RestError;
  /** Notes that items of a list are not records, and are left out. */
  skip(path: string, count: number): void;
}

/** One service. Its connections outlive the requests that use them. */
export interface RestService {
  /**
   * A client for a caller. If the service needs a credential and there is none, or if the
   * service has just rejected it, every call fails with 401 and nothing is sent.
   */
  as(caller: Caller): RestClient;
  /** A client without a credential, for calls that need none. */
  anonymous(caller: Caller): RestClient;
  /** What its connections do now. */
  use(): ServiceUse;
  close(): Promise<void>;
}

/**
 * Opens the connections to a service. Reads share connections. Every write opens a new
 * one, so a refused connection proves that nothing was sent, and no write can meet a
 * connection that the service has closed. Only reads are repeated, and no redirect is followed.
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

  /** Not asynchronous itself: each promise on the way costs as much as a part of the call. */
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
    // The services decide about callers with a key.
    admit: async () => {},
    unusable,
    skip: (path, count) => {
      allowance.usage.skipped += count;
      report('GET', path, 'item', 'items of the list are not records, and are left out');
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
