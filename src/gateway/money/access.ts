import { UNAUTHENTICATED } from '../schema/client-messages.ts';
import {
  type GeneralErrorCode,
  type RequestFailure,
  requestFailure,
} from '../schema/request-failure.ts';
import { AccessDeniedError, RestError } from '../upstream/rest-error.ts';
import { THIS_REQUEST } from './engine/post-result.ts';

/**
 * Reads the record that an operation is about with the caller's own credential, which alone decides
 * access. A record that the caller may not read is NOT_FOUND, even if the store has operations on
 * it.
 *
 * @param noun what callers call the record
 * @param path the input field that names the record
 */
export async function readAccess<R>(
  read: Promise<R | null>,
  noun: 'transaction' | 'merchant' | 'card',
  path: readonly string[],
): Promise<{ readonly record: R } | RequestFailure> {
  const notFound = moneyFailure('NOT_FOUND', `There is no such ${noun}.`, path);
  try {
    const record = await read;
    return record === null ? notFound : { record };
  } catch (error) {
    const unread = moneyFailure('NOT_SENT', `The ${noun} could not be read, so ${THIS_REQUEST}`);
    if (error instanceof AccessDeniedError) {
      return error.code === 'UPSTREAM_UNAVAILABLE'
        ? unread
        : moneyFailure(error.code, error.message);
    }
    if (!(error instanceof RestError)) throw error;
    if (error.status === 401) return moneyFailure('UNAUTHENTICATED', UNAUTHENTICATED);
    if (error.status === 403 || error.notFound) return notFound;
    if (error.failure !== 'bad-response') return unread;
    return moneyFailure(
      'NOT_SENT',
      `The payments service did not return the ${noun} with this id, so ${THIS_REQUEST} If the ${noun} also has other ids, use the \`rawId\`.`,
    );
  }
}

/** A code that only mutations that move money return. */
export type MoneyErrorCode =
  | 'AMOUNT_TOO_LARGE'
  | 'CURRENCY_MISMATCH'
  | 'PROCESSING_FAILED'
  | 'OUTCOME_UNKNOWN'
  | 'NOT_SENT'
  | 'TRANSACTION_BUSY'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'IDEMPOTENCY_KEY_IN_USE'
  | 'STORE_UNAVAILABLE';

/** Every code that a mutation that moves money may return. */
export type ErrorCodeName = GeneralErrorCode | MoneyErrorCode;

/** Creates the `RequestError` of a mutation that moves money. */
export const moneyFailure = requestFailure<ErrorCodeName>;
