import { type AnswerError, AnswerFailure } from './execute.ts';
import type { OperationAdvice } from './gql/graphql.ts';

/** How an attempt to move money ended. Unknown means: do as advised, with the same key. */
export type Outcome =
  | { readonly ended: 'done'; readonly moved: string | null }
  | { readonly ended: 'too much'; readonly most: string }
  | { readonly ended: 'refused'; readonly why: string }
  | { readonly ended: 'unknown'; readonly advice: OperationAdvice | null };

/**
 * What to make of an answer without a result. With a result, errors beside it only say
 * that something could not be read back: what the result says has happened.
 */
export function unanswered(errors: readonly AnswerError[] | undefined): Outcome {
  throw new AnswerFailure(errors);
}
