import type { RequestFailure } from '../../schema/request-failure.ts';
import { type InputPaths, toInputFailure } from '../../schema/request-failure.ts';
import { RestError } from '../../upstream/rest-error.ts';
import type { PostResult } from './change.ts';
import type { NotSentReason, Rejection, ServiceResponse } from './operation.ts';

/** The end of a message for a request that sent nothing, whatever others with its key did. */
export const THIS_REQUEST =
  'this request sent nothing. An earlier request with this idempotency key may have been applied. Repeat the request with the same key.';

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
  message: `The payments service could not be called, so ${THIS_REQUEST}`,
};
const OWN_KEY: NotSentReason = {
  code: 'NOT_SENT',
  message:
    'The payments service does not accept the requests of the gateway at the moment, and shows no effect of the operation. Repeat the request later with the same idempotency key.',
};
/**
 * Statuses that decide nothing about the operation. A reason is returned after a read that shows no
 * effect.
 */
const released = new Map<number, NotSentReason>([
  [
    401,
    {
      code: 'UNAUTHENTICATED',
      message:
        'The payments service responded with the status 401 (the app key is missing or not valid), and shows no effect of the operation. Check the app key, then repeat the request with the same idempotency key.',
    },
  ],
  [
    403,
    {
      code: 'FORBIDDEN',
      message:
        'The payments service responded with the status 403 (this app is not permitted to do this), and shows no effect of the operation. Check the access of the app, then repeat the request with the same idempotency key.',
    },
  ],
  [
    429,
    {
      code: 'NOT_SENT',
      message:
        'The payments service responded with the status 429 (too many requests), and shows no effect of the operation. Repeat the request later with the same idempotency key.',
    },
  ],
]);

function toRejection({ status, body }: RestError, paths: InputPaths): Rejection {
  if (status === 409) {
    return {
      code: 'CONFLICT',
      message:
        'The payments service responded that another request changed the transaction first, and shows no effect of the operation. Read the transaction again before you retry, and use a new idempotency key.',
    };
  }
  const { message, path, details }: RequestFailure = toInputFailure(body, paths);
  return { code: 'UPSTREAM_REJECTED', message, details, ...(path ? { path } : {}) };
}
