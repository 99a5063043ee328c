import type {
  AmountRejection,
  MovementKind,
  Operation,
  SnapshotEntry,
  TrailSnapshot,
} from '../../../money/engine/operation.ts';
import { isSameEntry, newEntries } from '../../../money/engine/snapshot.ts';
import { formatMoney } from '../../../schema/amount.ts';
import {
  readInteger,
  readIntegerOrNull,
  readString,
  readStringOrNull,
} from '../../../upstream/record.ts';
import { availableOf, transactionMoney } from '../state.ts';
import { readTrail, type TrailEntry, type TrailKind } from '../trail.ts';
import type { Transaction } from '../transaction-source.ts';

/** Takes the snapshot of a transaction. */
export function takeSnapshot(transaction: Transaction): TrailSnapshot {
  return {
    amount: readInteger(transaction, 'amount'),
    pendingAmount: readInteger(transaction, 'pendingAmount'),
    capturedAmount: readIntegerOrNull(transaction, 'capturedAmount'),
    refundedAmount: readIntegerOrNull(transaction, 'refundedAmount'),
    voidedAmount: readIntegerOrNull(transaction, 'voidedAmount'),
    trail: toSnapshotEntries(transaction),
  };
}

/** The trail entry that a succeeded movement added; null if it cannot be identified. */
export function entryOf(operation: Operation, transaction: Transaction): TrailEntry | null {
  if (operation.kind === 'CREATE' || operation.state !== 'SUCCEEDED') return null;
  const entries = toSnapshotEntries(transaction);
  const [candidate = null] = newEntries(operation, operation.snapshot, entries);
  const own = operation.entry ?? candidate;
  const index = entries.findIndex((entry) => own !== null && isSameEntry(entry, own));
  return readTrail(transaction)[index] ?? null;
}

/** The entries of a trail, each with what identifies it. */
export function toSnapshotEntries(transaction: Transaction): SnapshotEntry[] {
  const twins = new Map<string, number>();
  return readTrail(transaction).map((entry, index) => {
    if (!isMovement(entry.kind)) {
      return { line: null, properties: `${transaction.id}:${index}`, kind: null, amount: 0 };
    }
    const amount = readInteger(entry.raw, 'amount');
    const created = readString(entry.raw, 'created');
    const shared = `${transaction.id}:${entry.kind}:${created}:${amount}`;
    const ordinal = twins.get(shared) ?? 0;
    twins.set(shared, ordinal + 1);
    const line = readStringOrNull(entry.raw, 'lineId');
    return { line, properties: `${shared}:${ordinal}`, kind: entry.kind, amount };
  });
}

function isMovement(kind: TrailKind): kind is MovementKind {
  return kind === 'CAPTURE' || kind === 'REFUND' || kind === 'VOID';
}

const verbs = { CAPTURE: 'capture', REFUND: 'refund', VOID: 'void' } as const;

/**
 * The rejection of an amount, in minor units, that is larger than the available amount; null if it
 * is not.
 */
export function checkAvailable(
  transaction: Transaction,
  kind: MovementKind,
  amount: number,
): AmountRejection | null {
  const available = availableOf(transaction)[kind];
  if (amount <= available) return null;
  const maximum = transactionMoney(transaction, available);
  const message = `You can ${verbs[kind]} at most ${formatMoney(maximum)}.`;
  return { code: 'AMOUNT_TOO_LARGE', message, maximum };
}
