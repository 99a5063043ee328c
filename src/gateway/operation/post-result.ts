import { UNAUTHENTICATED } from '../graphql/client-messages.ts';
import { type InputPaths, toInputFailure } from '../graphql/input-failure.ts';
import type { RequestFailure } from '../graphql/mutation-error.ts';
import { RestError } from '../rest/rest-error.ts';
import type { PostResult } from './machine.ts';
import type { NotSentReason, Rejection } from './rejection.ts';

/** Recognises the rejections that only one kind of operation can get, such as a decline. */
export type ReadRejection = (error: RestError) => Promise<PostResult | undefined>;

/**
 * Classifies the result of a POST; never throws. Only a complete response proves anything: 2xx
 * that it was applied, 4xx that it was not.
 */
export async function toPostResult(
  post: Promise<{ readonly transactionId?: string }>,
  paths: InputPaths,
  readRejection: ReadRejection,
): Promise<PostResult> {
  try {
    return { kind: 'APPLIED', ...(await post) };
  } catch (error) {
    if (!(error instanceof RestError) || error.outcome === 'UNKNOWN') return { kind: 'AMBIGUOUS' };
    if (error.outcome === 'NOT_SENT') return { kind: 'NOT_SENT', reason: NOT_REACHED };
    if (error.status === 401) return { kind: 'NOT_SENT', reason: NOT_AUTHENTICATED };
    if (error.status === 403) return { kind: 'NOT_SENT', reason: NOT_PERMITTED };
    const known = await readRejection(error).catch(() => undefined);
    return known ?? { kind: 'REJECTED', rejection: toRejection(error, paths) };
  }
}

const NOT_REACHED: NotSentReason = {
  code: 'NOT_SENT',
  message: 'The payments service was not reached. Nothing was sent.',
};
const NOT_AUTHENTICATED: NotSentReason = { code: 'UNAUTHENTICATED', message: UNAUTHENTICATED };
const NOT_PERMITTED: NotSentReason = {
  code: 'FORBIDDEN',
  message:
    'This app is not permitted to do this. An earlier request with the same idempotency key may have been applied.',
};

function toRejection({ status, body }: RestError, paths: InputPaths): Rejection {
  if (status === 409) {
    return {
      code: 'CONFLICT',
      message:
        'Another request changed the transaction first. Read it again before you retry, and use a new idempotency key.',
    };
  }
  const { message, path, details }: RequestFailure = toInputFailure(body, paths);
  return { code: 'UPSTREAM_REJECTED', message, details, ...(path ? { path } : {}) };
}
