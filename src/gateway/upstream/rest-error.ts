/** The services behind the gateway. */
export type ServiceName = 'users' | 'payments';

/** What is known about the effect of a call that failed. */
export type Outcome =
  /** The request never left this process. */
  | 'NOT_SENT'
  /** The service responded that it did not carry out the request. */
  | 'REJECTED'
  /** The change may or may not have been made. */
  | 'UNKNOWN';

/** Why a call failed. */
export type RestFailure =
  /** The service responded with a status other than 2xx; see `status`. */
  | 'status'
  /** No connection, or the connection broke. */
  | 'unreachable'
  /** No complete response before the deadline. */
  | 'timeout'
  /** An unusable 2xx response: not JSON, or of the wrong shape. */
  | 'bad-response'
  /** A 2xx response that is larger than allowed. */
  | 'too-large'
  /** The breaker is open. Nothing was sent. */
  | 'stopped'
  /**
   * Too many calls are waiting for a connection, or all requests together hold too many bytes of
   * responses. Nothing was sent, or a read was stopped.
   */
  | 'overloaded'
  /** The deadline of the request passed before the call. Nothing was sent. */
  | 'deadline'
  /** The request made too many calls, or read too much. */
  | 'limit'
  /** The service rejected the gateway's own key, not the caller's. */
  | 'own-key';

/**
 * Why a call failed, for the operator. Contains nothing of a request, and of a response only its
 * status, its content coding, and the origin of a redirect.
 */
export interface Reason {
  /** The same for all calls that fail in the same way. There are few kinds. */
  readonly kind: string;
  /** In words. */
  readonly cause: string;
}

/**
 * A failed call to a service. Contains no address and no credential. Only this folder creates it
 * directly; elsewhere use the functions below.
 */
export class RestError extends Error {
  readonly service: ServiceName;
  readonly method: string;
  readonly failure: RestFailure;
  readonly status: number | undefined;
  /** The decoded body of a response with an error status. The service defines its shape. */
  readonly body: unknown;
  readonly outcome: Outcome;
  /** Milliseconds after which a call may succeed, if known. */
  readonly retryAfterMs: number | undefined;
  /** Why the response is unusable, if known here. Only for the log. */
  readonly reason: Reason | undefined;

  constructor(
    service: ServiceName,
    method: string,
    failure: RestFailure,
    details: {
      status?: number;
      body?: unknown;
      outcome?: Outcome;
      cause?: unknown;
      retryAfterMs?: number | undefined;
      reason?: Reason | undefined;
    } = {},
  ) {
    super(`${service}: ${method} failed (${details.status ?? failure})`, { cause: details.cause });
    this.service = service;
    this.method = method;
    this.failure = failure;
    this.status = details.status;
    this.body = details.body;
    this.outcome = details.outcome ?? 'UNKNOWN';
    this.retryAfterMs = details.retryAfterMs;
    this.reason = details.reason;
  }

  /** Whether the record does not exist, or no longer exists. */
  get notFound(): boolean {
    return this.status === 404 || this.status === 410;
  }
}

/**
 * The service responded with 2xx, but the response is unusable: for example, it has no id, or a
 * record that must exist is missing. After a write the outcome is unknown.
 */
export function badResponse(service: ServiceName, method: string): RestError {
  return new RestError(service, method, 'bad-response');
}

/** The error as if the service had rejected the key. Nothing was sent. */
export function unauthenticated(service: ServiceName, method: string): RestError {
  return new RestError(service, method, 'status', { status: 401, outcome: 'REJECTED' });
}

/** The error as if the record did not exist. Nothing was sent. */
export function notFound(service: ServiceName, method: string): RestError {
  return new RestError(service, method, 'status', { status: 404, outcome: 'REJECTED' });
}

/** The service rejected the gateway's own key, so it did nothing for the caller. */
export function ownKeyRejected(service: ServiceName, method: string): RestError {
  return new RestError(service, method, 'own-key', { outcome: 'REJECTED' });
}

/** What was read from the service before is too old, and the service could not be read again. */
export function tooOld(service: ServiceName): RestError {
  return new RestError(service, 'GET', 'unreachable', { outcome: 'NOT_SENT' });
}

/** The request has no calls left. Nothing was sent. */
export function callLimitReached(service: ServiceName, method: string): RestError {
  return new RestError(service, method, 'limit', { outcome: 'NOT_SENT' });
}

/** The gateway itself denies this caller access to a service. Nothing was sent. */
export class AccessDeniedError extends Error {
  /** `UPSTREAM_UNAVAILABLE` if the gateway cannot determine whether the caller has access. */
  readonly code: 'FORBIDDEN' | 'UNAUTHENTICATED' | 'UPSTREAM_UNAVAILABLE';
  readonly service: ServiceName;

  constructor(code: AccessDeniedError['code'], service: ServiceName, message: string) {
    super(message);
    this.code = code;
    this.service = service;
  }
}

/** Clients without a key reached their limit for this minute. Nothing was sent. */
export class RateLimitedError extends Error {
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    super('rate limited');
    this.retryAfterMs = retryAfterMs;
  }
}

/** A field of a record that cannot be read. Only that field fails. */
export class ShapeError extends Error {
  readonly field: string;
  /** Whether the field is absent, in which case the full record may have it. */
  readonly missing: boolean;
  service: ServiceName | undefined;

  constructor(field: string, missing: boolean) {
    super(`\`${field}\` is ${missing ? 'missing' : 'not valid'}`);
    this.field = field;
    this.missing = missing;
  }
}
