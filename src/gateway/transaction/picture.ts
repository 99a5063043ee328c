import { candidates, type Finding } from '../operation/machine.ts';
import type { Operation, OperationKind, PreImage, TrailMark } from '../operation/operation.ts';
import { readInteger, readText, readTextOrNull } from '../rest/record.ts';
import { readTrail, type TrailEntry } from './trail.ts';
import type { Transaction } from './transaction-source.ts';

const kinds: Partial<Record<TrailEntry['kind'], OperationKind>> = {
  capture: 'CAPTURE',
  refund: 'REFUND',
  void: 'VOID',
};

/** What a transaction shows just before its money is moved. */
export function takePicture(transaction: Transaction): PreImage {
  return {
    amount: readInteger(transaction, 'amount'),
    pendingAmount: readInteger(transaction, 'pendingAmount'),
    trail: marks(transaction),
    newest: null,
  };
}

/** What a transaction shows of an operation whose outcome is unknown. */
export function findEntries(operation: Operation, transaction: Transaction): Finding {
  const { preImage } = operation;
  if (preImage === null) return { kind: 'ABSENT' };
  return { kind: 'ENTRIES', entries: candidates(operation, preImage, marks(transaction)) };
}

/** The entry of a trail that an operation made, as far as it can be told. */
export function entryOf(operation: Operation, transaction: Transaction): TrailEntry | null {
  const trail = readTrail(transaction);
  const refs = marks(transaction);
  const [first] =
    operation.preImage === null ? [] : candidates(operation, operation.preImage, refs);
  const ref = operation.entryRef ?? first?.ref;
  const index = refs.findIndex((mark) => mark.ref === ref);
  return trail[index] ?? null;
}

/** The entries under names that last: their line, or what tells them apart where there is none. */
function marks(transaction: Transaction): TrailMark[] {
  const twins = new Map<string, number>();
  return readTrail(transaction).map((entry, index) => {
    const kind = kinds[entry.kind];
    // No movement: whatever it looks like, no operation has made it.
    if (kind === undefined) return { ref: `${transaction.id}:${index}`, kind: null, amount: 0 };
    const amount = readInteger(entry.raw, 'amount');
    const line = readTextOrNull(entry.raw, 'lineId');
    const looks = `${transaction.id}:${entry.kind}:${readText(entry.raw, 'created')}:${amount}`;
    const ordinal = twins.get(looks) ?? 0;
    twins.set(looks, ordinal + 1);
    return { ref: line ?? `${looks}:${ordinal}`, kind, amount };
  });
}
