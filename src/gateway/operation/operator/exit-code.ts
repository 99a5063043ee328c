import { OperatorError } from './operator-error.ts';

/** The exit code of a command that failed: 2 if the operator can correct it, otherwise 1. */
export function exitCodeOf(error: unknown): 1 | 2 {
  return error instanceof OperatorError ? 2 : 1;
}
