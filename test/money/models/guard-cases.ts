import type { Movement } from '../support/money-client.ts';

/** A movement on a transaction of 1000, and whether two copies of it cannot both apply. */
export interface GuardCase {
  readonly movement: Movement;
  readonly amount: number;
  /** Totals before the movement. */
  readonly captured: number;
  readonly refunded: number;
  readonly voided: number;
  /** Whether `pendingAmount` shows that the service counts voids. */
  readonly consistent: boolean;
  readonly safe: boolean;
}

const casesOf =
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

const capture = casesOf('capture', 200, 0, 100);
const refund = casesOf('refund', 800, 100, 200);
const voidCase = casesOf('void', 200, 0, 100);

/** Each kind with and without consistent totals, at the limit and one unit above it. */
export const guardCases: readonly GuardCase[] = [
  capture(true, 350, false), // 200 + 100 + 700 = 1000: two fit
  capture(true, 351, true),
  capture(false, 400, false), // 200 + 800 = 1000
  capture(false, 401, true),
  refund(true, 350, false), // 100 + 700 = 1000 - 200
  refund(true, 351, true),
  refund(false, 450, false), // 100 + 900 = 1000
  refund(false, 451, true),
  voidCase(true, 350, false), // 200 + 100 + 700 = 1000
  voidCase(true, 351, true),
  voidCase(false, 351, false), // never: it is not known what limits voids
  voidCase(false, 700, false),
];
