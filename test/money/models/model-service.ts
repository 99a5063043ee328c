import { afterRead, type Change } from '../../../src/gateway/operation/machine.ts';
import { candidateEntries, type SnapshotEntry } from '../../../src/gateway/operation/snapshot.ts';

/** Amount of the transaction in both models. */
export const TOTAL = 100;

/** What the service has recorded of captures of one amount since the first POST. */
export interface Captures {
  /** Captures that POSTs of the operation added. */
  readonly own: number;
  /** Identical captures of another client. */
  readonly outside: number;
}

/** The trail after these captures, with the entries that were there before. */
export function trailAfter(
  { own, outside }: Captures,
  amount: number,
  before: readonly SnapshotEntry[],
): SnapshotEntry[] {
  const entry = (ref: string): SnapshotEntry => ({ ref, kind: 'CAPTURE', amount });
  return [
    ...before,
    ...Array.from({ length: own }, (_, index) => entry(`own ${index}`)),
    ...Array.from({ length: outside }, () => entry('outside')),
  ];
}

/** A read of the trail during the search for the effect of a capture. */
export interface Reading {
  readonly amount: number;
  /** How many POSTs may have left. */
  readonly posts: number;
  readonly trail: readonly SnapshotEntry[];
  readonly before: readonly SnapshotEntry[];
  /** `pendingAmount` of the snapshot. */
  readonly pendingAmount: number;
  readonly guardedRepost: boolean;
  readonly tooLate: boolean;
}

/** What the real state machine derives from a read for a caller who repeats the key. */
export function changeAfterRead(reading: Reading): Change {
  const { amount, posts, trail, before, pendingAmount, guardedRepost, tooLate } = reading;
  const snapshot = { amount: TOTAL, pendingAmount, trail: before };
  const capture = { kind: 'CAPTURE', amount } as const;
  return afterRead(
    { ...capture, posts: posts === 1 ? 1 : 2, snapshot },
    { kind: 'ENTRIES', entries: candidateEntries(capture, snapshot, trail) },
    { repeated: true, guardedRepost, tooLate },
  );
}

/** All states that can be reached from `start`, each once. */
export function* reachable<State>(
  start: State,
  next: (state: State) => readonly State[],
): Generator<State> {
  const seen = new Set<string>();
  const open = [start];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const key = JSON.stringify(state);
    if (seen.has(key)) continue;
    seen.add(key);
    yield state;
    open.push(...next(state));
  }
}
