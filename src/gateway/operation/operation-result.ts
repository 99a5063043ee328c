import type { MutationFailure, RequestFailure } from '../graphql/mutation-error.ts';
import { THIS_REQUEST } from './access.ts';
import type { Verdict } from './attempt.ts';
import { type MoneyErrorCode, moneyFailure } from './error-codes.ts';
import type { MoneyOperation } from './money-operation.ts';
import { isInProgress, isOpen, type Operation } from './operation.ts';
import type { NotSentReason, Rejection } from './rejection.ts';

/** The POST was or is being sent, and its outcome is not known, or is NOT_APPLIED. */
export interface OutcomeUnknown extends MutationFailure<MoneyErrorCode>, MoneyOperation {
  readonly __typename: 'OutcomeUnknownError';
}

/** The members of one mutation's result that depend on the mutation. */
export interface ResultMembers<Success, OwnError> {
  succeeded(done: MoneyOperation): Success;
  /** Undefined if the rejection is to be returned as a `RequestError`. */
  rejected(done: MoneyOperation, rejection: Rejection): OwnError | undefined;
}

/** Converts a verdict to the member of a mutation's result that the caller gets. */
export function toOperationResult<Invalid, Success, OwnError>(
  verdict: Verdict<Invalid>,
  { succeeded, rejected }: ResultMembers<Success, OwnError>,
): Invalid | Success | OwnError | OutcomeUnknown | RequestFailure {
  switch (verdict.kind) {
    case 'INVALID_REQUEST':
      return verdict.invalid;
    case 'NOT_SENT': {
      const { code, message } = verdict.reason ?? NOT_SENT;
      return moneyFailure(code, message);
    }
    case 'STORE_UNAVAILABLE':
      return moneyFailure('STORE_UNAVAILABLE', STORE_UNAVAILABLE);
    case 'KEY_REUSED':
      return moneyFailure('IDEMPOTENCY_KEY_REUSED', KEY_REUSED, ['input', 'idempotencyKey']);
    case 'BUSY':
      return moneyFailure('TRANSACTION_BUSY', busyMessage(verdict.other));
    case 'OPERATION':
      break;
  }
  const { operation } = verdict;
  if (operation.state === 'SUCCEEDED') return succeeded(verdict);
  if (operation.state === 'REJECTED') {
    return rejected(verdict, operation.rejection) ?? toRequestFailure(operation.rejection);
  }
  return toOutcomeUnknown(verdict);
}

const NOT_SENT: NotSentReason = {
  code: 'NOT_SENT',
  message:
    'The payments service could not be read in time. Nothing was sent. Repeat with the same key.',
};
const STORE_UNAVAILABLE = `Operations cannot be looked up or recorded at the moment, so ${THIS_REQUEST}`;
const KEY_REUSED =
  'This idempotency key was used with other arguments. Use one key for each intended movement of money, and the same arguments when you repeat it.';

function busyMessage(other: Operation): string {
  const status = isInProgress(other) ? 'is in progress' : 'has an unknown outcome';
  return `Another operation on this transaction ${status}. Its key is ${JSON.stringify(other.key)}. Nothing was sent. Resolve that operation first, then repeat with the same key.`;
}

/** The same error for a stored rejection, however often the key is repeated. */
function toRequestFailure(rejection: Rejection): RequestFailure {
  const { code, message } = rejection;
  if (code !== 'UPSTREAM_REJECTED') return moneyFailure(code, message);
  const { path, details } = rejection;
  return { ...moneyFailure(code, message), ...(path ? { path } : {}), details };
}

function toOutcomeUnknown({ operation, replayed }: MoneyOperation): OutcomeUnknown {
  const base = { __typename: 'OutcomeUnknownError', operation, replayed } as const;
  if (isInProgress(operation)) {
    const message = 'The operation with this key is still in progress. Ask again in a moment.';
    return { ...base, code: 'IDEMPOTENCY_KEY_IN_USE', message };
  }
  return { ...base, code: 'OUTCOME_UNKNOWN', message: unknownMessage(operation) };
}

function unknownMessage(operation: Operation): string {
  if (!isOpen(operation)) {
    return 'The request was sent, but as far as is known it was never applied. To try again, use a new idempotency key.';
  }
  return operation.state === 'UNKNOWN' && operation.needsOperator
    ? 'The request was sent, and several trail entries could be its result. Only the operator can find out which. Keep the key.'
    : 'The request was sent, but no valid answer was received. It may have been applied. Repeat with the same key, never with a new one.';
}
