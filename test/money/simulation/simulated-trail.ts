import type { MovementKind, TrailSnapshot } from '../../../src/gateway/money/engine/operation.ts';
import type { Conditions } from './conditions.ts';

/** One entry of the trail. */
export interface TrailEntry {
  readonly kind: MovementKind;
  readonly amount: number;
  /** When it was added. */
  readonly at: number;
  /** The operation whose POST it was; undefined for another client. */
  readonly operation: string | undefined;
  /** Whether it was there before the run. */
  readonly isOld: boolean;
}

/** Who adds an entry, and when. */
type Origin = Pick<TrailEntry, 'at' | 'operation' | 'isOld'>;

/** The trail of one transaction, with the limits of the service. */
export interface Trail {
  readonly entries: readonly TrailEntry[];
  /** Adds an entry if it fits; whether it did. */
  add(kind: MovementKind, amount: number, origin: Origin): boolean;
  /** What is left for a movement. */
  available(kind: MovementKind): number;
  /** The transaction with the entries and the counters of two moments, as it is shown at `now`. */
  toSnapshot(trailAt: number, countersAt: number, now: number): TrailSnapshot;
}

interface Totals {
  readonly captured: number;
  readonly refunded: number;
  readonly voided: number;
}

/** Creates the trail of a transaction of this amount. */
export function createTrail(amount: number, conditions: Conditions): Trail {
  const entries: TrailEntry[] = [];
  const shownUntil = (at: number) => entries.filter((entry) => entry.at <= at);
  const pendingOf = ({ captured, voided }: Totals) =>
    amount - captured - (conditions.countsVoids ? voided : 0);

  function available(kind: MovementKind): number {
    const totals = totalsOf(entries);
    return kind === 'REFUND' ? totals.captured - totals.refunded : pendingOf(totals);
  }
  return {
    entries,
    available,
    add: (kind, size, origin) => {
      if (size > available(kind)) return false;
      entries.push({ kind, amount: size, ...origin });
      return true;
    },
    toSnapshot: (trailAt, countersAt, now) => {
      const totals = totalsOf(shownUntil(countersAt));
      const { captured, refunded, voided } = totals;
      return {
        amount,
        pendingAmount: pendingOf(totals),
        capturedAmount: captured - (conditions.refundsReduceCaptured ? refunded : 0),
        refundedAmount: refunded,
        voidedAmount: voided,
        trail: shownUntil(trailAt).map(({ kind, amount: size, at }, index) => ({
          line: kind === 'VOID' || now < at + conditions.lineDelayMs ? null : `line ${index}`,
          properties: `entry ${index}`,
          kind,
          amount: size,
        })),
      };
    },
  };
}

function totalsOf(entries: readonly TrailEntry[]): Totals {
  const totals = { captured: 0, refunded: 0, voided: 0 };
  for (const { kind, amount } of entries) {
    if (kind === 'CAPTURE') totals.captured += amount;
    else if (kind === 'REFUND') totals.refunded += amount;
    else totals.voided += amount;
  }
  return totals;
}
