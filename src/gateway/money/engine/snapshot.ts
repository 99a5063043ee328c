import type { EntryIdentity, MovementKind, SnapshotEntry, TrailSnapshot } from './operation.ts';

/** What entries are compared by. */
export interface EntryWanted {
  readonly kind: MovementKind;
  readonly amount: number;
}

/** The entries with this kind and amount. */
export function entriesLike(
  { kind, amount }: EntryWanted,
  trail: readonly SnapshotEntry[],
): SnapshotEntry[] {
  return trail.filter((entry) => entry.kind === kind && entry.amount === amount);
}

/**
 * Whether two reads show the same entry: by its line or, if one of them shows none yet, by its
 * other properties.
 */
export function isSameEntry(one: EntryIdentity, other: EntryIdentity): boolean {
  return one.line !== null && other.line !== null
    ? one.line === other.line
    : one.properties !== null && one.properties === other.properties;
}

/**
 * The entries that are not among the others, by the rule of {@link isSameEntry}. Takes time in
 * proportion to their number: a transaction can have thousands of entries.
 */
export function without<Entry extends EntryIdentity>(
  entries: readonly Entry[],
  others: readonly EntryIdentity[],
): Entry[] {
  const lines = new Set(others.map(({ line }) => line));
  const all = new Set(others.map(({ properties }) => properties));
  const withoutLine = new Set(
    others.filter(({ line }) => line === null).map(({ properties }) => properties),
  );
  return entries.filter(({ line, properties }) => {
    if (line !== null && lines.has(line)) return false;
    const comparable = line === null ? all : withoutLine;
    return properties === null || !comparable.has(properties);
  });
}

/** The entries with this kind and amount that are not in the snapshot. */
export function addedEntries(
  wanted: EntryWanted,
  snapshot: TrailSnapshot,
  trail: readonly SnapshotEntry[],
): SnapshotEntry[] {
  return without(entriesLike(wanted, trail), snapshot.trail);
}

/**
 * The entries that the operation may have added: same kind and amount, and not in the
 * snapshot. None if there are no more such entries than in the snapshot, because the
 * properties of an old entry can change.
 */
export function newEntries(
  wanted: EntryWanted,
  snapshot: TrailSnapshot,
  trail: readonly SnapshotEntry[],
): SnapshotEntry[] {
  const before = entriesLike(wanted, snapshot.trail).length;
  if (entriesLike(wanted, trail).length <= before) return [];
  return addedEntries(wanted, snapshot, trail);
}

/** Entries one of which an operation has added; it is not known which one. */
type Seen = readonly EntryIdentity[];

/**
 * Whether several operations, each of which has added one of the entries that it has seen, can
 * each have an entry of its own, if some entries belong to other operations.
 */
export function leavesEachOne(seen: readonly Seen[], taken: readonly EntryIdentity[]): boolean {
  const free = seen.map((entries) => without(entries, taken));
  /** Which operation has which entry so far. */
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
