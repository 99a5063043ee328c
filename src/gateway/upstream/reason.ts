import type { Reason, RestError } from './rest-error.ts';

/** A call that has failed, as the operator may see it. */
export interface FailedCall extends Reason {
  readonly service: string;
  readonly method: string;
  /** The path with `:id` in place of ids, and without the query. */
  readonly route: string;
  /** Of the response; 0 without one, or if only its content shows that it cannot be used. */
  readonly status: number;
}

/** The limits of the time that one call had. */
export interface TimeLimits {
  /** How long it could take, in milliseconds. */
  readonly ms: number;
  /** Whether that was less than every call has, because the request had no more time left. */
  readonly isShort: boolean;
  readonly connectMs: number;
}

/** Why a call has failed. Undefined for what is the caller's concern, such as an id that is not known. */
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
      return { kind: failure, cause: 'the request has read more than one request may' };
    case 'overloaded':
      return { kind: failure, cause: 'all requests hold more than MAX_UPSTREAM_BYTES_HELD' };
    default:
      return { kind: failure, cause: 'the response cannot be used' };
  }
}

/** Statuses with which services say that the caller has no access, or that there is no record. */
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
  ENOTFOUND: 'the name of the host is not known',
  EAI_AGAIN: 'the name of the host could not be looked up',
  EHOSTUNREACH: 'there is no route to the host',
  ENETUNREACH: 'there is no route to the network of the host',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the TLS certificate is for another host',
  CERT_HAS_EXPIRED: 'the TLS certificate has expired',
};
/** Codes contain nothing else. */
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
  return { kind: code, cause: `${NETWORK[code] ?? 'the connection has failed'} (${code})` };
}

/**
 * Where a redirect leads: only the origin, because the rest can contain secrets. The gateway follows
 * none, so the address of the service in the settings is wrong, or something stands before it.
 */
export function redirectReason(location: string, base: string): Reason {
  const kind = 'redirect';
  if (!URL.canParse(location, base)) return { kind, cause: 'redirected to an invalid location' };
  const { protocol, origin } = new URL(location, base);
  const isHttp = protocol === 'http:' || protocol === 'https:';
  return { kind, cause: `redirected to ${isHttp ? origin : 'an address that is not HTTP'}` };
}
