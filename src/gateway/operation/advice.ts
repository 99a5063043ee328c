import { isInProgress, type Operation } from './operation.ts';

/** What to do about an open operation. */
export type AdviceName = 'POLL' | 'RETRY_SAME_KEY' | 'CONTACT_OPERATOR';

/** What to do about an operation; null if it has ended. */
export function adviceOf(operation: Operation): AdviceName | null {
  if (isInProgress(operation)) return 'POLL';
  if (operation.state !== 'UNKNOWN') return null;
  return operation.needsOperator ? 'CONTACT_OPERATOR' : 'RETRY_SAME_KEY';
}
