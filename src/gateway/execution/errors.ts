import { GraphQLError } from 'graphql';
import { StoreUnavailableError } from '../money/store/watch-store.ts';
import {
  FORBIDDEN,
  NOT_CALLED,
  nameService,
  stopped,
  UNAUTHENTICATED,
  unavailable,
} from '../schema/client-messages.ts';
import { InvalidIdError } from '../upstream/path.ts';
import {
  AccessDeniedError,
  RestError,
  type RestFailure,
  ShapeError,
} from '../upstream/rest-error.ts';

/** What a client sees of an error. */
interface ClientError {
  readonly code: string;
  readonly message: string;
  readonly service?: string | undefined;
  /** Set for a write that may or may not have been made. */
  readonly outcome?: 'UNKNOWN';
  /** Milliseconds after which the same request may succeed. */
  readonly retryAfterMs?: number;
}

/**
 * Creates Yoga's `maskError`. Every error passes through it on its way to a client. It converts
 * the errors that it knows. Every other error is a bug in the gateway: it is passed to
 * `onBug` and hidden from the client. No address, body or stack reaches a client.
 *
 * @param onUnreadable called if a field in a service's response cannot be read
 */
export function createMaskError(
  onBug: (error: unknown) => void,
  onUnreadable: (error: ShapeError) => void = () => {},
) {
  return (error: unknown): Error => {
    if (!(error instanceof GraphQLError)) {
      onBug(error);
      return new GraphQLError(UNEXPECTED.message, { extensions: { code: UNEXPECTED.code } });
    }
    const cause = error.originalError;
    if (cause === undefined || cause === null || cause instanceof GraphQLError) {
      return error.extensions.code === undefined ? withCode(error) : error;
    }
    if (cause instanceof ShapeError) onUnreadable(cause);
    const known = toClientError(cause);
    if (known === undefined) onBug(cause);
    const { message, ...extensions } = known ?? UNEXPECTED;
    const { nodes = null, source, positions, path } = error;
    return new GraphQLError(message, { nodes, source, positions, path, extensions });
  };
}

/** graphql-js gives no code to errors about variables or about the name of the operation. */
function withCode(error: GraphQLError) {
  const { message, nodes = null, source, positions, path } = error;
  const extensions = { ...error.extensions, code: 'BAD_USER_INPUT' };
  return new GraphQLError(message, { nodes, source, positions, path, extensions });
}

const UNEXPECTED: ClientError = { code: 'INTERNAL_SERVER_ERROR', message: 'Unexpected error.' };

function toClientError(error: Error): ClientError | undefined {
  if (error instanceof RestError) return fromRestError(error);
  if (error instanceof AccessDeniedError) {
    return { code: error.code, message: error.message, service: error.service };
  }
  if (error instanceof ShapeError) {
    return {
      code: 'UPSTREAM_BAD_RESPONSE',
      message: `The service returned an invalid response: ${error.message}.`,
      ...(error.service === undefined ? {} : { service: error.service }),
    };
  }
  if (error instanceof StoreUnavailableError) {
    return { code: 'STORE_UNAVAILABLE', message: error.message };
  }
  if (error instanceof InvalidIdError) {
    // Ids from a caller are checked with the arguments, so this one came from a service.
    return { code: 'UPSTREAM_BAD_RESPONSE', message: 'The service returned a malformed id.' };
  }
  return undefined;
}

function fromRestError(error: RestError): ClientError {
  const { service, status, method, outcome, retryAfterMs } = error;
  // The users service is called without a key, so only an intermediary can send a 401 for it.
  if (status === 401 && service === 'payments')
    return { code: 'UNAUTHENTICATED', message: UNAUTHENTICATED, service };
  if (status === 403) return { code: 'FORBIDDEN', message: FORBIDDEN, service };
  const { code, message } = describeFailure(error);
  const retry = retryAfterMs === undefined ? {} : { retryAfterMs: Math.ceil(retryAfterMs) };
  return method !== 'GET' && outcome === 'UNKNOWN'
    ? { code, message: `${message} ${UNKNOWN_OUTCOME}`, service, outcome }
    : { code, message, service, ...retry };
}

const UNKNOWN_OUTCOME = 'The change may or may not have been made: check before you try again.';

const NOT_CALLED_CODES = {
  overloaded: 'OVERLOADED',
  deadline: 'UPSTREAM_TIMEOUT',
  limit: 'UPSTREAM_CALL_LIMIT',
} as const;

/** Failures that affect every caller of the service. */
const AWAY: ReadonlySet<RestFailure> = new Set(['unreachable', 'own-key']);

function describeFailure({ service, failure, status }: RestError): ClientError {
  if (failure === 'overloaded' || failure === 'deadline' || failure === 'limit') {
    return { code: NOT_CALLED_CODES[failure], message: NOT_CALLED[failure] };
  }
  if (failure === 'timeout') {
    return {
      code: 'UPSTREAM_TIMEOUT',
      message: `${nameService(service)} did not respond in time.`,
    };
  }
  if (failure === 'stopped') return { code: 'UPSTREAM_UNAVAILABLE', message: stopped(service) };
  const isAway = AWAY.has(failure);
  if (isAway || (status !== undefined && (status >= 500 || status === 429))) {
    return { code: 'UPSTREAM_UNAVAILABLE', message: unavailable(service) };
  }
  return {
    code: 'UPSTREAM_BAD_RESPONSE',
    message: `${nameService(service)} returned an invalid response.`,
  };
}
