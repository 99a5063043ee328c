import { AccessDeniedError, RateLimitedError, RestError } from '../upstream/rest-error.ts';
import {
  FORBIDDEN,
  NOT_CALLED,
  nameService,
  stopped,
  UNAUTHENTICATED,
  unavailable,
} from './client-messages.ts';
import {
  type InputPaths,
  type RequestFailure,
  requestFailure,
  toInputFailure,
} from './request-failure.ts';

/**
 * Waits for a write. If nothing was sent, or the service responded that it did not carry out the
 * write, the result is a {@link RequestFailure}. Every other error propagates to `maskError`, in
 * particular an unknown outcome.
 *
 * @param paths input paths of the service's fields
 */
export async function toResult<T>(
  work: Promise<T>,
  paths: InputPaths = {},
): Promise<T | RequestFailure> {
  try {
    return await work;
  } catch (error) {
    const failure = toFailure(error, paths);
    if (failure === undefined) throw error;
    return failure;
  }
}

function toFailure(error: unknown, paths: InputPaths): RequestFailure | undefined {
  if (error instanceof AccessDeniedError) return requestFailure(error.code, error.message);
  if (error instanceof RateLimitedError) {
    const seconds = Math.ceil(error.retryAfterMs / 1_000);
    return requestFailure('RATE_LIMITED', `${RATE_LIMITED} Try again in ${seconds} seconds.`);
  }
  if (!(error instanceof RestError)) return undefined;
  if (error.outcome !== 'REJECTED') {
    // A read that fails here came before the write, so the write was not sent.
    const neverSent = error.outcome === 'NOT_SENT' || error.method === 'GET';
    if (!neverSent) return undefined;
    const { failure, service } = error;
    const reason =
      failure === 'overloaded' || failure === 'deadline' || failure === 'limit'
        ? `Nothing was sent. ${NOT_CALLED[failure]}`
        : `${failure === 'stopped' ? stopped(service) : unavailable(service)} Nothing was sent. Try again later.`;
    return requestFailure('UPSTREAM_UNAVAILABLE', reason);
  }
  if (error.status === 429 || error.failure === 'own-key') {
    const reason =
      error.failure === 'own-key'
        ? unavailable(error.service)
        : `${nameService(error.service)} responded with status 429 (too many requests).`;
    return requestFailure('UPSTREAM_UNAVAILABLE', `${reason} Try again later.`);
  }
  if (error.status === 401) return requestFailure('UNAUTHENTICATED', UNAUTHENTICATED);
  if (error.status === 403) return requestFailure('FORBIDDEN', FORBIDDEN);
  if (error.notFound) return requestFailure('NOT_FOUND', 'The record does not exist.');
  if (error.status === 409) return requestFailure('CONFLICT', CONFLICT);
  return toInputFailure(error.body, paths);
}

const RATE_LIMITED =
  'Clients without an app key have done this too often in the last minute. Nothing was done.';
const CONFLICT =
  'Another request changed the record first. Read the record again before you retry.';
