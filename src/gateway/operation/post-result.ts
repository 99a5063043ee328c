import { UNAUTHENTICATED } from '../graphql/client-messages.ts';
import { type InputPaths, toInputFailure } from '../graphql/input-failure.ts';
import type { RequestFailure } from '../graphql/mutation-error.ts';
import { RestError } from '../rest/rest-error.ts';
import type { PostResult } from './change.ts';
import type { NotSentReason, Rejection, ServiceResponse } from './rejection.ts';

type Rejected = ServiceResponse & { readonly kind: 'REJECTED' };

/** Recognises the rejections that only one kind of operation can get, such as a decline. */
export type ReadRejection = (error: RestError) => Rejected | undefined;

/**
 * Classifies the result of a POST; never throws. Only a complete response proves anything, and
 * one that denies the request has to be confirmed by a read.
 *
 * @param post resolves to what a complete 2xx shows
 */
export async function toPostResult(
  post: Promise<PostResult>,
  paths: InputPaths,
  readRejection: ReadRejection = () => undefined,
): Promise<PostResult> {
  try {
    return await post;
  } catch (error) {
    if (!(error instanceof RestError) || error.outcome === 'UNKNOWN') return { kind: 'AMBIGUOUS' };
    if (error.outcome === 'NOT_SENT') return { kind: 'NOT_SENT', reason: NOT_REACHED };
    return { kind: 'RESPONDED', response: toResponse(error, paths, readRejection) };
  }
}

function toResponse(
  error: RestError,
  paths: InputPaths,
  readRejection: ReadRejection,
): ServiceResponse {
  const reason = error.failure === 'own-key' ? OWN_KEY : released.get(error.status ?? 0);
  if (reason !== undefined) return { kind: 'RELEASED', reason };
  const conflict = error.status === 409;
  return (
    readRejection(error) ?? { kind: 'REJECTED', rejection: toRejection(error, paths), conflict }
  );
}

const NOT_REACHED: NotSentReason = {
  code: 'NOT_SENT',
  message: 'The payments service was not reached. Nothing was sent.',
};
const OWN_KEY: NotSentReason = {
  code: 'NOT_SENT',
  message:
    'The payments service is not available to the gateway. Nothing was changed. Repeat the request later with the same idempotency key.',
};
/** Statuses with which the service does not process a request. */
const released = new Map<number, NotSentReason>([
  [401, { code: 'UNAUTHENTICATED', message: UNAUTHENTICATED }],
  [
    403,
    {
      code: 'FORBIDDEN',
      message:
        'This app is not permitted to do this. An earlier request with the same idempotency key may have been applied.',
    },
  ],
  [
    429,
    {
      code: 'NOT_SENT',
      message:
        'The payments service limits the rate of requests and did not process this one. Nothing was changed. Repeat the request later with the same idempotency key.',
    },
  ],
]);

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
