import type { Queryable } from '../../database/database.ts';
import { singleRow } from '../single-row.ts';

/** How far the clock is ahead of the machine's, or the moment at which it stands still. */
export interface ClockSetting {
  readonly ahead_ms: number;
  readonly frozen: Date | null;
}

/** When merchants are paid out. Both are null if they are paid out only on request. */
export interface PayoutSchedule {
  readonly payout_every_ms: number | null;
  readonly next_payout: Date | null;
}

/** Reads what the control interface has changed. */
export async function readControlState(
  tx: Queryable,
): Promise<ClockSetting & PayoutSchedule & { readonly keeps_changes: boolean }> {
  return singleRow(await tx.query('SELECT * FROM control_state'));
}

/** Stores the clock. */
export async function writeClock(tx: Queryable, { ahead_ms, frozen }: ClockSetting): Promise<void> {
  await tx.query('UPDATE control_state SET ahead_ms = $1, frozen = $2', [ahead_ms, frozen]);
}

/** Stores when merchants are paid out. */
export async function writePayoutSchedule(
  tx: Queryable,
  { payout_every_ms, next_payout }: PayoutSchedule,
): Promise<void> {
  await tx.query('UPDATE control_state SET payout_every_ms = $1, next_payout = $2', [
    payout_every_ms,
    next_payout,
  ]);
}

/** Whether the changes of the last minute are kept, which reads of an earlier state need. */
export async function writeKeepsChanges(tx: Queryable, keeps: boolean): Promise<void> {
  await tx.query('UPDATE control_state SET keeps_changes = $1', [keeps]);
}
