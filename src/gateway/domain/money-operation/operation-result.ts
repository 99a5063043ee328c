import { type MoneyErrorCode, moneyFailure } from '../../money/access.ts';
import type { Verdict } from '../../money/attempt.ts';
import type { NotSentReason, Rejection } from '../../money/engine/operation.ts';
import { isInProgress, isOpen, type Operation } from '../../money/engine/operation.ts';
import { THIS_REQUEST } from '../../money/engine/post-result.ts';
import type { MutationFailure, RequestFailure } from '../../schema/request-failure.ts';
import type { ReportedOperation } from './money-operation.ts';

/** The outcome of the POST, sent or being sent, is not known, or is NOT_APPLIED. */
export interface OutcomeUnknown extends MutationFailure<MoneyErrorCode>, ReportedOperation {
  readonly __typename: 'OutcomeUnknownError';
}

/** The members of one mutation's result that depend on the mutation. */
export interface ResultMembers<Success, OwnError> {
  succeeded(done: ReportedOperation): Success;
  /** Undefined if the rejection is to be returned as a `RequestError`. */
  rejected(done: ReportedOperation, rejection: Rejection): OwnError | undefined;
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
  message: `There was not enough time to send the operation, so ${THIS_REQUEST}`,
};
const STORE_UNAVAILABLE =
  'The gateway temporarily cannot read or record money operations, and sends none that it cannot record. A request with this idempotency key may have been applied. Retry with the same key.';
const KEY_REUSED =
  'This idempotency key was used with other arguments. Use a new key for each money operation. To repeat an operation, send the same arguments.';

function busyMessage(other: Operation): string {
  const status = isInProgress(other) ? 'is in progress' : 'has an unknown outcome';
  return `Another ${other.kind.toLowerCase()} of this transaction ${status}. This request sent nothing. The idempotency key of that operation is ${JSON.stringify(other.key)}; query \`moneyOperation\` to see what to do about it. Wait until that operation has ended, then retry this request with its own idempotency key.`;
}

/** A stored rejection gives the same error each time the key is repeated. */
function toRequestFailure(rejection: Rejection): RequestFailure {
  const { code, message } = rejection;
  if (code !== 'UPSTREAM_REJECTED') return moneyFailure(code, message);
  const { path, details } = rejection;
  return { ...moneyFailure(code, message), ...(path ? { path } : {}), details };
}

function toOutcomeUnknown({ operation, replayed }: ReportedOperation): OutcomeUnknown {
  const base = { __typename: 'OutcomeUnknownError', operation, replayed } as const;
  if (isInProgress(operation)) {
    const message =
      'The operation with this idempotency key is in progress. Wait one second, then retry with the same key.';
    return { ...base, code: 'IDEMPOTENCY_KEY_IN_USE', message };
  }
  return { ...base, code: 'OUTCOME_UNKNOWN', message: unknownMessage(operation) };
}

function unknownMessage(operation: Operation): string {
  if (!isOpen(operation)) {
    return 'The operation ended without being applied: `operation.evidence` says whether this is proven, presumed by the gateway, or recorded by the operator. To try again, use a new idempotency key. Unless it is proven, a new key can move the money twice.';
  }
  const { needsOperator, response } = operation.state === 'UNKNOWN' ? operation : NO_RESPONSE;
  if (needsOperator) {
    return "Trail entries match the request, but it is not certain that the request added one of them. Ask the gateway's operator to settle the operation. Keep the idempotency key.";
  }
  const known =
    response === null
      ? 'The request may have been sent, and no valid response was received.'
      : 'The service responded, but its response could not be confirmed by a read.';
  return `${known} The operation may have been applied. Retry with the same idempotency key, never with a new one.`;
}

const NO_RESPONSE = { needsOperator: false, response: null };
