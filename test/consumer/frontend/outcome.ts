import { type AnswerError, AnswerFailure } from './execute.ts';
import type { ErrorCode, OperationAdvice } from './gql/graphql.ts';

/** What a frontend reads of every typed error. */
interface Refusal {
  readonly code: ErrorCode;
  readonly message: string;
}

/**
 * How an attempt to move money ended. Unknown means: do as advised, with the same key. Not
 * now means: an earlier request with this key may have moved it, so repeat with the same key.
 */
export type Outcome =
  | { readonly ended: 'done'; readonly moved: string | null }
  | { readonly ended: 'too much'; readonly most: string }
  | { readonly ended: 'refused'; readonly why: string }
  | { readonly ended: 'not now'; readonly why: string }
  | { readonly ended: 'unknown'; readonly advice: OperationAdvice | null };

/** Codes by which this key will never move money. */
const settled: ReadonlySet<ErrorCode> = new Set([
  'INVALID_INPUT',
  'AMOUNT_TOO_LARGE',
  'CURRENCY_MISMATCH',
  'CONFLICT',
  'PROCESSING_FAILED',
  'UPSTREAM_REJECTED',
  'IDEMPOTENCY_KEY_REUSED',
]);

/** What a typed error means to whoever keeps the key: one that is not known settles nothing. */
export function refused({ code, message }: Refusal): Outcome {
  return { ended: settled.has(code) ? 'refused' : 'not now', why: message };
}

/**
 * What to make of an answer without a result. With a result, errors beside it only say
 * that something could not be read back: what the result says has happened.
 */
export function unanswered(errors: readonly AnswerError[] | undefined): Outcome {
  throw new AnswerFailure(errors);
}
