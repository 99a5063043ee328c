import type { MovementKind } from './operation.ts';

/** One entry of a transaction's trail, as far as it can prove an operation. */
export interface SnapshotEntry {
  /** Id of its balance line; null while it has none. A void never has one. */
  readonly line: string | null;
  /** Identifies the entry by its other properties, which it has from the start. */
  readonly properties: string;
  /** Null for an entry that no operation can have added, such as a dispute. */
  readonly kind: MovementKind | null;
  /** Minor units of the transaction's currency. */
  readonly amount: number;
}

/** What identifies an entry: its line, its other properties, or both. */
export interface EntryIdentity {
  readonly line: string | null;
  readonly properties: string | null;
}

/** What a transaction shows of its money. Amounts in minor units. */
export interface TrailSnapshot {
  readonly amount: number;
  readonly pendingAmount: number;
  /** The counters of the service; null if not reported. */
  readonly capturedAmount: number | null;
  readonly refundedAmount: number | null;
  readonly voidedAmount: number | null;
  readonly trail: readonly SnapshotEntry[];
}

/** What the merchant's list of transactions showed just before the POST that creates one. */
export interface ListSnapshot {
  /** Id of the newest transaction; null if there was none. */
  readonly newest: string | null;
}

/** What the service showed just before the first POST. */
export type Snapshot = TrailSnapshot | ListSnapshot;

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

/** Whether two reads show the same entry: by its line or, where one has none yet, by its other properties. */
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
