import type { MovementKind, TrailSnapshot } from './operation.ts';

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
      // For the same reason as for refunds, and because a service that ignores voids has no limit
      // for them.
      return countersAgree(snapshot) && captured + voided + 2 * amount > snapshot.amount;
    case 'REFUND':
      // A trail without the newest captures can agree with `pendingAmount` by chance.
      return refunded + 2 * amount > snapshot.amount - (countersAgree(snapshot) ? voided : 0);
  }
}

/**
 * Whether an operation that has left no entry can never be applied, according to a read of the
 * transaction as it is now or was at any time.
 *
 * Proof. The operation's POST was applied either before the moment that the read shows, or
 * after it, or never. If it was applied before, its entry is in the trail; the caller of this
 * function has excluded that. Totals only grow: an amount that does not fit at that moment
 * does not fit later. So it was not applied after it either. An old read is as good as a new
 * one.
 *
 * The counters must agree with the trail: an entry that is counted but not yet shown would
 * look like an amount that does not fit. The service does not exceed the `pendingAmount` that
 * it shows as "available for capture or void". `capturedAmount` may fall with a refund.
 */
export function canNeverApply(kind: MovementKind, amount: number, now: TrailSnapshot): boolean {
  if (!countersAgree(now)) return false;
  const captured = total(now, 'CAPTURE');
  const refunded = total(now, 'REFUND');
  const voided = total(now, 'VOID');
  return kind === 'REFUND'
    ? refunded + amount > now.amount - voided
    : captured + voided + amount > now.amount;
}

/**
 * Whether the counters show that the trail is complete, and that the service counts voids.
 *
 * A service that ignores voids and subtracts refunds from `capturedAmount` shows the same
 * counters if voids and refunds are equal and the trail lacks captures of the same sum.
 */
function countersAgree(snapshot: TrailSnapshot): boolean {
  const captured = total(snapshot, 'CAPTURE');
  const refunded = total(snapshot, 'REFUND');
  const voided = total(snapshot, 'VOID');
  const isAmbiguous = voided > 0 && voided === refunded && snapshot.capturedAmount === captured;
  return (
    !isAmbiguous &&
    snapshot.pendingAmount === snapshot.amount - captured - voided &&
    snapshot.refundedAmount === refunded &&
    snapshot.voidedAmount === voided &&
    (snapshot.capturedAmount === captured || snapshot.capturedAmount === captured - refunded)
  );
}

function total({ trail }: TrailSnapshot, kind: MovementKind): number {
  return trail.reduce((sum, entry) => (entry.kind === kind ? sum + entry.amount : sum), 0);
}
