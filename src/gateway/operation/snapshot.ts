import type { MovementKind } from './operation.ts';

/** One entry of a transaction's trail, as far as it can prove an operation. */
export interface SnapshotEntry {
  /** Identifies the entry: its line, or its other properties where it has no line. */
  readonly ref: string;
  /** Null for an entry that no operation can have added, such as a dispute. */
  readonly kind: MovementKind | null;
  /** Minor units of the transaction's currency. */
  readonly amount: number;
}

/** What a transaction showed just before the first POST. Amounts in minor units. */
export interface TrailSnapshot {
  readonly amount: number;
  readonly pendingAmount: number;
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
interface Wanted {
  readonly kind: MovementKind;
  readonly amount: number;
}

/** The entries with this kind and amount. */
export function entriesLike(
  { kind, amount }: Wanted,
  trail: readonly SnapshotEntry[],
): SnapshotEntry[] {
  return trail.filter((entry) => entry.kind === kind && entry.amount === amount);
}

/**
 * The entries that the operation may have added: same kind and amount, and not in the
 * snapshot. None if there are no more such entries than in the snapshot, because an old
 * entry that gets its line later changes its reference.
 */
export function candidateEntries(
  wanted: Wanted,
  snapshot: TrailSnapshot,
  trail: readonly SnapshotEntry[],
): SnapshotEntry[] {
  const now = entriesLike(wanted, trail);
  if (now.length <= entriesLike(wanted, snapshot.trail).length) return [];
  const known = new Set(snapshot.trail.map(({ ref }) => ref));
  return now.filter(({ ref }) => !known.has(ref));
}
