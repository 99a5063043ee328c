import type { EntryIdentity } from './operation.ts';
import { isSameEntry, without } from './snapshot.ts';

/** Entries one of which an operation has added; it is not known which one. */
type Seen = readonly EntryIdentity[];

/**
 * Whether several operations, each of which has added one of the entries that it has seen, can
 * each have an entry of its own, if some entries belong to other operations.
 */
export function leavesEachOne(seen: readonly Seen[], taken: readonly EntryIdentity[]): boolean {
  const free = seen.map((entries) => without(entries, taken));
  /** Which operation has which entry, as far as they are distributed. */
  const owners: { entry: EntryIdentity; owner: number }[] = [];

  /** Gives an operation an entry; another operation may then get a different one. */
  function give(operation: number, tried: EntryIdentity[]): boolean {
    for (const entry of free[operation] ?? []) {
      if (tried.some((other) => isSameEntry(other, entry))) continue;
      tried.push(entry);
      const given = owners.find((one) => isSameEntry(one.entry, entry));
      if (given === undefined) {
        owners.push({ entry, owner: operation });
        return true;
      }
      if (give(given.owner, tried)) {
        given.owner = operation;
        return true;
      }
    }
    return false;
  }
  return free.every((_, operation) => give(operation, []));
}
