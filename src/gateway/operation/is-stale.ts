import type { Operation } from './operation.ts';
import type { Parts } from './parts.ts';

/**
 * Whether the operator has taken back the settlement that a caller is about to be told of. If
 * not, it is final from now on.
 */
export async function isStale(
  { store }: Pick<Parts, 'store'>,
  operation: Operation,
): Promise<boolean> {
  const isSettled = 'evidence' in operation && operation.evidence === 'OPERATOR';
  return isSettled && store.markReturned(operation);
}
