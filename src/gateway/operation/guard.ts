import type { OperationKind, PreImage } from './operation.ts';

/**
 * The conservation guard: whether the picture taken before the first POST proves that two
 * copies of an operation cannot both apply. Totals only grow, so what does not fit twice
 * then, never fits twice; a second POST is safe.
 *
 * The service states limits for captures (at most the amount) and refunds (at most what was
 * captured), none for voids. Voids count only when the counters show that it counts them.
 */
export function twoCannotBothApply(kind: OperationKind, amount: number, before: PreImage): boolean {
  const captured = total(before, 'CAPTURE');
  const refunded = total(before, 'REFUND');
  const voided = total(before, 'VOID');
  const consistent = before.pendingAmount === before.amount - captured - voided;
  switch (kind) {
    case 'CAPTURE':
      return captured + (consistent ? voided : 0) + 2 * amount > before.amount;
    case 'VOID':
      return consistent && captured + voided + 2 * amount > before.amount;
    case 'REFUND':
      return refunded + 2 * amount > before.amount - (consistent ? voided : 0);
    case 'CREATE':
      return false;
  }
}

function total({ trail }: PreImage, kind: OperationKind): number {
  return trail.reduce((sum, entry) => (entry.kind === kind ? sum + entry.amount : sum), 0);
}
