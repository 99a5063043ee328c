import type { Reason, RestError } from './rest-error.ts';

/** A failed call, for the operator. */
export interface FailedCall extends Reason {
  readonly service: string;
  readonly method: string;
  /** The path with `:id` instead of ids, and without the query. */
  readonly route: string;
  /** Status of the response; 0 without one, or if only its content is unusable. */
  readonly status: number;
}

/** The time limits of one call. */
export interface TimeLimits {
  /** How long it could take, in milliseconds. */
  readonly ms: number;
  /** Whether that was less than usual, because the request had no more time left. */
  readonly isShort: boolean;
  readonly connectMs: number;
}

/** Why a call failed. Undefined for the caller's own errors, such as an unknown id. */
export function reasonOf(error: RestError, limits: TimeLimits): Reason | undefined {
  const { failure, status = 0, reason } = error;
  if (reason !== undefined) {
    const { kind, cause } = reason;
    return status < 400 ? reason : { kind, cause: `status ${status}, and ${cause}` };
  }
  switch (failure) {
    case 'status':
      return isOfCaller(error) ? undefined : { kind: 'status', cause: `status ${status}` };
    case 'timeout':
      return lateReason(error, limits);
    case 'unreachable':
      return networkReason(error, limits);
    case 'limit':
      return { kind: failure, cause: 'the request read more than one request may' };
    case 'overloaded':
      return { kind: failure, cause: 'all requests hold more than MAX_UPSTREAM_BYTES_HELD' };
    default:
      return { kind: failure, cause: 'the response cannot be used' };
  }
}

/** Statuses for a caller without access, or a record that does not exist. */
const NORMAL_READS = new Set([401, 403, 404, 410]);

function isOfCaller({ service, method, status = 0 }: RestError): boolean {
  if (status === 401 && service === 'users') return false;
  if (method === 'GET') return NORMAL_READS.has(status);
  return status >= 400 && status < 500 && status !== 408 && status !== 429;
}

function lateReason({ method }: RestError, { ms, isShort }: TimeLimits): Reason {
  const within = `no complete response within ${Math.round(ms)} ms`;
  if (isShort) {
    const whole = 'earlier attempts and REQUEST_DEADLINE_MS left no more time';
    return { kind: 'late', cause: `${within}: ${whole}` };
  }
  const name = method === 'GET' ? 'UPSTREAM_GET_ATTEMPT_MS' : 'UPSTREAM_WRITE_MS';
  return { kind: 'timeout', cause: `${within} (${name})` };
}

const NETWORK: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before the response was complete',
  UND_ERR_SOCKET: 'the connection was closed before the response was complete',
  EPIPE: 'the connection was closed before the request was sent',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name could not be looked up',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the network of the host',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the TLS certificate is for another host',
  CERT_HAS_EXPIRED: 'the TLS certificate has expired',
};
/** Matches error codes. */
const CODE = /^[A-Z0-9_]{1,64}$/;

function networkReason({ cause }: RestError, { connectMs }: TimeLimits): Reason {
  const given = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const code = CODE.test(given) ? given : 'no code';
  if (code === 'UND_ERR_CONNECT_TIMEOUT') {
    return {
      kind: code,
      cause: `no connection within ${connectMs} ms (half of UPSTREAM_GET_ATTEMPT_MS)`,
    };
  }
  if (cause instanceof Error && cause.name === 'HTTPParserError') {
    return { kind: 'not-http', cause: 'the response is not HTTP' };
  }
  return { kind: code, cause: `${NETWORK[code] ?? 'the connection failed'} (${code})` };
}

/**
 * Where a redirect leads: only the origin, because the rest can contain secrets. The gateway
 * follows no redirects, so the service's address in the settings is wrong, or an intermediary
 * redirects.
 */
export function redirectReason(location: string, base: string): Reason {
  const kind = 'redirect';
  if (!URL.canParse(location, base)) return { kind, cause: 'redirected to an invalid location' };
  const { protocol, origin } = new URL(location, base);
  const isHttp = protocol === 'http:' || protocol === 'https:';
  return { kind, cause: `redirected to ${isHttp ? origin : 'an address that is not HTTP'}` };
}
