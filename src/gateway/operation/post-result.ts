import { UNAUTHENTICATED } from '../graphql/client-messages.ts';
import { type InputPaths, toInputFailure } from '../graphql/input-failure.ts';
import type { RequestFailure } from '../graphql/mutation-error.ts';
import { RestError } from '../rest/rest-error.ts';
import type { PostResult } from './machine.ts';
import type { Refusal } from './operation.ts';

/** What a refusal of the service says of itself, if this operation knows it. */
export type ReadRefusal = (error: RestError) => Promise<PostResult | undefined>;

/**
 * Sends a POST and says what became of it; never throws. Only an answer that came whole
 * proves anything: 2xx that it applied, 4xx that it did not.
 *
 * @param read what the operation knows of its own refusals, such as a decline
 */
export async function toPostResult(
  post: Promise<{ readonly transactionId?: string }>,
  paths: InputPaths,
  read: ReadRefusal,
): Promise<PostResult> {
  try {
    return { kind: 'APPLIED', ...(await post) };
  } catch (error) {
    if (!(error instanceof RestError) || error.outcome === 'UNKNOWN') return { kind: 'AMBIGUOUS' };
    if (error.outcome === 'NOT_SENT') {
      const message = 'The payments service was not reached; nothing was sent.';
      return { kind: 'NOT_SENT', refusal: { code: 'NOT_SENT', message } };
    }
    if (error.status === 401 || error.status === 403) {
      return { kind: 'NOT_SENT', refusal: toDenial(error.status) };
    }
    const known = await read(error).catch(() => undefined);
    return known ?? { kind: 'REFUSED', refusal: toRefusal(error, paths) };
  }
}

/** Why a caller may not do this. */
function toDenial(status: 401 | 403): Refusal {
  return status === 401
    ? { code: 'UNAUTHENTICATED', message: UNAUTHENTICATED }
    : { code: 'FORBIDDEN', message: 'This app may not do that.' };
}

function toRefusal({ status, body }: RestError, paths: InputPaths): Refusal {
  if (status === 409) {
    return {
      code: 'CONFLICT',
      message: 'Another change came first. Read again, then decide; a new try takes a new key.',
    };
  }
  const { message, path, details }: RequestFailure = toInputFailure(body, paths);
  return { code: 'UPSTREAM_REJECTED', message, details: { path, details } };
}
