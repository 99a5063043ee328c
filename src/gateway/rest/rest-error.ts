/** The services behind the gateway. */
export type ServiceName = 'users' | 'payments';

/** What is known of a write that failed. */
export type Outcome =
  /** Nothing left this process, or the service certainly did nothing with it. */
  | 'NOT_SENT'
  /** The service answered that it did nothing. */
  | 'REJECTED'
  /** It may or may not have taken effect. */
  | 'UNKNOWN';

/** Why a call failed. */
export type RestFailure =
  /** The service answered with something else than 2xx; see `status`. */
  | 'status'
  /** No connection, or it broke. */
  | 'unreachable'
  /** No whole answer in time. */
  | 'timeout'
  /** A 2xx that cannot be read: not JSON, too large, or of a shape nobody can use. */
  | 'bad-response';

/** A call to a service that did not succeed. It carries no address and no credential. */
export class RestError extends Error {
  readonly service: ServiceName;
  readonly method: string;
  readonly failure: RestFailure;
  readonly status: number | undefined;
  /** The decoded body of an answer with a status, for those who know its shape. */
  readonly body: unknown;
  readonly outcome: Outcome;

  constructor(
    service: ServiceName,
    method: string,
    failure: RestFailure,
    details: { status?: number; body?: unknown; outcome?: Outcome; cause?: unknown } = {},
  ) {
    super(`${service}: ${method} failed (${details.status ?? failure})`, { cause: details.cause });
    this.service = service;
    this.method = method;
    this.failure = failure;
    this.status = details.status;
    this.body = details.body;
    this.outcome = details.outcome ?? 'UNKNOWN';
  }

  /** The record does not exist, or no longer. */
  get notFound(): boolean {
    return this.status === 404 || this.status === 410;
  }
}

/** The gateway itself keeps this caller from a service; nothing was sent. */
export class ForbiddenError extends Error {
  readonly service: ServiceName;

  constructor(service: ServiceName, message: string) {
    super(message);
    this.service = service;
  }
}

/** A field of a service's answer that cannot be read; spoils that field and nothing else. */
export class ShapeError extends Error {
  readonly field: string;
  /** Whether the field is not there at all, which a full record may mend. */
  readonly missing: boolean;
  service: ServiceName | undefined;

  constructor(field: string, missing: boolean) {
    super(`\`${field}\` is ${missing ? 'missing' : 'not of the promised shape'}`);
    this.field = field;
    this.missing = missing;
  }
}
