import type { Movement } from './operation.ts';
import {
  type EntryIdentity,
  entriesLike,
  newEntries,
  type TrailSnapshot,
  without,
} from './snapshot.ts';
import type { OperationStore, SucceededMovement } from './store/operation-store.ts';

/** What of the store the claims of a transaction need. */
type Claims = Pick<OperationStore, 'listSucceeded' | 'knownEntries' | 'claimEntry'>;

/**
 * Whether a snapshot shows every entry of this kind and amount that is known to exist. With an
 * older one, the entry of an earlier operation would later look like that of this operation.
 * An earlier success whose entry was not known claims it now. What the operator settled does
 * not count: its entry may never appear.
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
  if (without(known, shown).length > 0) return false;
  for (const success of succeeded) {
    const isKnown = success.entry !== null || success.seen !== null;
    if (!isKnown && !(await claim(store, operation, success, snapshot))) return false;
  }
  return true;
}

/** Whether the operator settled an operation of this kind and amount as applied, but its entry is not known. */
export async function hasSettledWithoutEntry(
  store: Pick<OperationStore, 'listSucceeded'>,
  operation: Pick<Movement, 'kind' | 'amount' | 'transactionId'>,
): Promise<boolean> {
  const succeeded = await store.listSucceeded(operation);
  return succeeded.some(({ settled, entry, seen }) => settled && entry === null && seen === null);
}

/** Whether the snapshot shows an entry that the success may have added. */
async function claim(
  store: Claims,
  operation: Pick<Movement, 'kind' | 'amount' | 'transactionId'>,
  { id, snapshot: before }: SucceededMovement,
  now: TrailSnapshot,
): Promise<boolean> {
  if (before === null) return false;
  const { claimed, seen } = await store.knownEntries(operation.transactionId);
  const entries = without(newEntries(operation, before, now.trail), claimed);
  const [entry, another] = entries;
  if (entry === undefined) return false;
  const isOnly = another === undefined && without(entries, seen).length === 1;
  await store.claimEntry(id, isOnly ? { entry } : { seen: entries });
  return true;
}
