import { UNAUTHENTICATED } from '../graphql/client-messages.ts';
import { type RequestFailure, requestFailure } from '../graphql/mutation-error.ts';
import { RestError } from '../rest/rest-error.ts';
import type { MoneyErrorCode } from './error-codes.ts';

/** A request that does not come as far as its key cannot tell what an earlier one did. */
export const THIS_REQUEST =
  'this request sent nothing; it does not tell what an earlier one with this idempotency key did. Repeat with the same key.';

/**
 * Reads what an operation is about with the caller's own credential; that is the only
 * authority. What they may not see does not exist for them, whatever the store knows.
 *
 * @param noun what is read, as callers know it
 * @param path the input field that names it
 */
export async function readAccess<R>(
  read: Promise<R | null>,
  noun: 'transaction' | 'merchant',
  path: readonly string[],
): Promise<{ readonly record: R } | RequestFailure> {
  const notFound = requestFailure('NOT_FOUND', `There is no such ${noun}.`, path);
  try {
    const record = await read;
    return record === null ? notFound : { record };
  } catch (error) {
    if (!(error instanceof RestError)) throw error;
    if (error.status === 401) return requestFailure('UNAUTHENTICATED', UNAUTHENTICATED);
    if (error.status === 403) return notFound;
    return requestFailure<MoneyErrorCode>(
      'NOT_SENT',
      `The ${noun} could not be read, so ${THIS_REQUEST}`,
    );
  }
}
