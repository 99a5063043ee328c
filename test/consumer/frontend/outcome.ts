import { type AnswerError, AnswerFailure } from './execute.ts';
import type { ErrorCode, OperationAdvice } from './gql/graphql.ts';

/** The fields that every typed error has. */
interface ErrorFields {
  readonly code: ErrorCode;
  readonly message: string;
}

/**
 * How a request to move money ended. "Unknown" means: do as advised, with the same key.
 * "Not now" means: an earlier request with this key may have moved the money, so repeat it
 * with the same key.
 */
export type Outcome =
  | { readonly ended: 'done'; readonly moved: string | null }
  | { readonly ended: 'too much'; readonly most: string }
  | { readonly ended: 'rejected'; readonly why: string }
  | { readonly ended: 'not now'; readonly why: string }
  | { readonly ended: 'unknown'; readonly advice: OperationAdvice | null };

/** The codes after which a request with the same key never moves money. */
const finalCodes: ReadonlySet<ErrorCode> = new Set([
  'INVALID_INPUT',
  'AMOUNT_TOO_LARGE',
  'CURRENCY_MISMATCH',
  'CONFLICT',
  'PROCESSING_FAILED',
  'UPSTREAM_REJECTED',
  'IDEMPOTENCY_KEY_REUSED',
]);

/** What a typed error means for the key. After a code that is not known, the key stays in use. */
export function toOutcome({ code, message }: ErrorFields): Outcome {
  return { ended: finalCodes.has(code) ? 'rejected' : 'not now', why: message };
}

/**
 * Throws the errors of an answer that has no result. If there is a result, errors beside it
 * only report fields that could not be read afterwards: the result stands.
 */
export function failWithoutResult(errors: readonly AnswerError[] | undefined): Outcome {
  throw new AnswerFailure(errors);
}
