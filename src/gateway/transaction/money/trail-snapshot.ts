import type { MovementKind, Operation } from '../../operation/operation.ts';
import {
  candidateEntries,
  type SnapshotEntry,
  type TrailSnapshot,
} from '../../operation/snapshot.ts';
import { readInteger, readText, readTextOrNull } from '../../rest/record.ts';
import { readTrail, type TrailEntry, type TrailKind } from '../trail.ts';
import type { Transaction } from '../transaction-source.ts';

/** Takes the snapshot of a transaction just before its money is moved. */
export function takeSnapshot(transaction: Transaction): TrailSnapshot {
  return {
    amount: readInteger(transaction, 'amount'),
    pendingAmount: readInteger(transaction, 'pendingAmount'),
    trail: toSnapshotEntries(transaction),
  };
}

/** The trail entry that a succeeded movement added, as far as it can be identified. */
export function entryOf(operation: Operation, transaction: Transaction): TrailEntry | null {
  if (operation.kind === 'CREATE' || operation.state !== 'SUCCEEDED') return null;
  const entries = toSnapshotEntries(transaction);
  const [candidate] = candidateEntries(operation, operation.snapshot, entries);
  const ref = operation.entryRef ?? candidate?.ref;
  const index = entries.findIndex((entry) => entry.ref === ref);
  return readTrail(transaction)[index] ?? null;
}

/**
 * The entries of a trail with a reference each: the line, or the entry's other properties
 * where it has no line.
 */
export function toSnapshotEntries(transaction: Transaction): SnapshotEntry[] {
  const twins = new Map<string, number>();
  return readTrail(transaction).map((entry, index) => {
    if (!isMovement(entry.kind)) {
      return { ref: `${transaction.id}:${index}`, kind: null, amount: 0 };
    }
    const amount = readInteger(entry.raw, 'amount');
    const created = readText(entry.raw, 'created');
    const properties = `${transaction.id}:${entry.kind}:${created}:${amount}`;
    const ordinal = twins.get(properties) ?? 0;
    twins.set(properties, ordinal + 1);
    const ref = readTextOrNull(entry.raw, 'lineId') ?? `${properties}:${ordinal}`;
    return { ref, kind: entry.kind, amount };
  });
}

function isMovement(kind: TrailKind): kind is MovementKind {
  return kind === 'CAPTURE' || kind === 'REFUND' || kind === 'VOID';
}
