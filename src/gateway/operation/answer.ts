import {
  type MutationFailure,
  type RequestFailure,
  requestFailure,
} from '../graphql/mutation-error.ts';
import { THIS_REQUEST } from './access.ts';
import type { Verdict } from './attempt.ts';
import type { ErrorCodeName, MoneyErrorCode } from './error-codes.ts';
import type { MoneyOperation } from './money-operation.ts';
import type { Operation, Refusal } from './operation.ts';

/** Sent, or being sent, and it is not known what became of it. */
export interface OutcomeUnknown extends MutationFailure<MoneyErrorCode>, MoneyOperation {
  readonly __typename: 'OutcomeUnknownError';
}

/** How the ends of an operation are told in one mutation. */
export interface Endings<S, R> {
  succeeded(done: MoneyOperation): S;
  /** Undefined leaves the refusal to be told as a `RequestError`. */
  rejected(done: MoneyOperation, refusal: Refusal): R | undefined;
}

/** What a caller is told of how their try ended. */
export function toAnswer<F, S, R>(
  verdict: Verdict<F>,
  { succeeded, rejected }: Endings<S, R>,
): F | S | R | OutcomeUnknown | RequestFailure {
  switch (verdict.kind) {
    case 'REFUSED':
      return verdict.refusal;
    case 'NOT_SENT': {
      const { code, message } = verdict.refusal ?? NOT_SENT;
      return requestFailure<ErrorCodeName>(code as ErrorCodeName, message);
    }
    case 'STORE_UNAVAILABLE':
      return requestFailure<MoneyErrorCode>('STORE_UNAVAILABLE', STORE_UNAVAILABLE);
    case 'KEY_REUSED':
      return requestFailure<MoneyErrorCode>('IDEMPOTENCY_KEY_REUSED', KEY_REUSED, [
        'input',
        'idempotencyKey',
      ]);
    case 'BUSY':
      return requestFailure<MoneyErrorCode>('TRANSACTION_BUSY', busy(verdict.other));
    case 'OPERATION':
      break;
  }
  const { operation } = verdict;
  if (operation.state === 'SUCCEEDED') return succeeded(verdict);
  if (operation.state === 'REJECTED') {
    const refusal = operation.refusal ?? { code: 'UPSTREAM_REJECTED', message: 'It was refused.' };
    return rejected(verdict, refusal) ?? toRequestError(refusal);
  }
  return unknown(verdict);
}

const NOT_SENT: Refusal = {
  code: 'NOT_SENT',
  message:
    'The payments service could not be read in time; nothing was sent. Repeat with the same key.',
};
const STORE_UNAVAILABLE = `Operations cannot be looked up or recorded at the moment, so ${THIS_REQUEST}`;
const KEY_REUSED =
  'This idempotency key is known with other arguments. Use one key for each intended movement, and the same arguments when you repeat it.';

function busy({ key, state }: Operation): string {
  const status = state === 'UNKNOWN' ? 'has an unknown outcome' : 'is under way';
  return `Another operation on this transaction ${status}; its key is ${JSON.stringify(key)}. Nothing was sent. Settle that one first, then repeat with the same key.`;
}

/** What the service refused, told again in the same words. */
function toRequestError({ code, message, details }: Refusal): RequestFailure {
  const told = (details ?? {}) as Partial<Pick<RequestFailure, 'path' | 'details'>>;
  return {
    ...requestFailure<ErrorCodeName>(code as ErrorCodeName, message),
    ...(told.path ? { path: told.path } : {}),
    details: told.details ?? [],
  };
}

function unknown(found: MoneyOperation): OutcomeUnknown {
  const { operation, replayed } = found;
  const base = { __typename: 'OutcomeUnknownError', operation, replayed } as const;
  if (operation.state === 'PREPARED' || operation.state === 'SENDING') {
    const message = 'The operation with this key is still under way. Ask again in a moment.';
    return { ...base, code: 'IDEMPOTENCY_KEY_IN_USE', message };
  }
  return { ...base, code: 'OUTCOME_UNKNOWN', message: words(operation) };
}

function words({ state, needsOperator }: Operation): string {
  if (state === 'NOT_APPLIED') {
    return 'It was sent and, by all that is known, never done. To do it after all, use a new idempotency key.';
  }
  return needsOperator
    ? 'It was sent, and two entries could be its own: only the operator can tell. Keep the key.'
    : 'It was sent, and no trustworthy answer came: it may have been done. Repeat with the same key, never with a new one.';
}
