import type { Movement } from './movement.ts';

/** A movement on a transaction of 1000, and whether it provably cannot happen twice. */
export interface GuardCase {
  readonly movement: Movement;
  readonly amount: number;
  /** What happened before. */
  readonly captured: number;
  readonly refunded: number;
  readonly voided: number;
  /** Whether `pendingAmount` shows that voids count against the amount. */
  readonly consistent: boolean;
  readonly safe: boolean;
}

const row =
  (movement: Movement, captured: number, refunded: number, voided: number) =>
  (consistent: boolean, amount: number, safe: boolean): GuardCase => ({
    movement,
    amount,
    captured,
    refunded,
    voided,
    consistent,
    safe,
  });

const capture = row('capture', 200, 0, 100);
const refund = row('refund', 800, 100, 200);
const cancel = row('void', 200, 0, 100);

/** Each kind, with counters that agree and that do not, at the bound and one unit beyond it. */
export const guardCases: readonly GuardCase[] = [
  capture(true, 350, false), // 200 + 100 + 700 = 1000: two would just fit
  capture(true, 351, true),
  capture(false, 400, false), // 200 + 800 = 1000
  capture(false, 401, true),
  refund(true, 350, false), // 100 + 700 = 1000 - 200
  refund(true, 351, true),
  refund(false, 450, false), // 100 + 900 = 1000
  refund(false, 451, true),
  cancel(true, 350, false), // 200 + 100 + 700 = 1000
  cancel(true, 351, true),
  cancel(false, 351, false), // never: it is not known what limits voids
  cancel(false, 700, false),
];
