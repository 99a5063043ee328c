import type { MovementKind } from './operation.ts';
import type { TrailSnapshot } from './snapshot.ts';

/**
 * The conservation guard: whether the snapshot proves that two copies of an operation cannot
 * both apply. Totals only grow, so two copies that do not fit into the snapshot never fit
 * later, and a second POST is safe.
 *
 * The service limits captures (to the amount) and refunds (to what was captured), but states
 * no limit for voids. Voids therefore count only if `pendingAmount` shows that the service
 * counts them. Amounts in minor units.
 */
export function twoCannotBothApply(
  kind: MovementKind,
  amount: number,
  snapshot: TrailSnapshot,
): boolean {
  const captured = total(snapshot, 'CAPTURE');
  const refunded = total(snapshot, 'REFUND');
  const voided = total(snapshot, 'VOID');
  const consistent = snapshot.pendingAmount === snapshot.amount - captured - voided;
  switch (kind) {
    case 'CAPTURE':
      return captured + (consistent ? voided : 0) + 2 * amount > snapshot.amount;
    case 'VOID':
      return consistent && captured + voided + 2 * amount > snapshot.amount;
    case 'REFUND':
      return refunded + 2 * amount > snapshot.amount - (consistent ? voided : 0);
  }
}

function total({ trail }: TrailSnapshot, kind: MovementKind): number {
  return trail.reduce((sum, entry) => (entry.kind === kind ? sum + entry.amount : sum), 0);
}
