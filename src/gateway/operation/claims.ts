import type { EntryIdentity, Movement, TrailSnapshot } from './operation.ts';
import { entriesLike, without } from './snapshot.ts';
import type { OperationStore } from './store/operation-store.ts';

/** What of the store the claims of a transaction need. */
type Claims = Pick<OperationStore, 'listSucceeded'>;

/**
 * Whether a snapshot shows every entry of this kind and amount that is known to exist. With an
 * older one, the entry of an earlier operation would later look like that of this operation.
 * What the operator settled does not count: its entry may never appear.
 */
export async function isRecent(
  store: Claims,
  operation: Pick<Movement, 'kind' | 'amount' | 'transactionId'>,
  snapshot: TrailSnapshot,
): Promise<boolean> {
  const succeeded = (await store.listSucceeded(operation)).filter(({ settled }) => !settled);
  const shown = entriesLike(operation, snapshot.trail);
  if (shown.length < succeeded.length) return false;
  const known = succeeded.flatMap(({ entry, seen }): readonly EntryIdentity[] =>
    entry === null ? (seen ?? []) : [entry],
  );
  return without(known, shown).length === 0;
}

/** Whether the operator settled an operation of this kind and amount as applied, but its entry is not known. */
export async function hasSettledWithoutEntry(
  store: Claims,
  operation: Pick<Movement, 'kind' | 'amount' | 'transactionId'>,
): Promise<boolean> {
  const succeeded = await store.listSucceeded(operation);
  return succeeded.some(({ settled, entry, seen }) => settled && entry === null && seen === null);
}
