import type { Queryable } from '../../database/database.ts';
import type { Clock } from '../environment.ts';
import { singleRow } from '../environment.ts';

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
async function writeClock(tx: Queryable, { ahead_ms, frozen }: ClockSetting): Promise<void> {
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

/**
 * The clock of a sandbox. It reads the time of the machine plus an offset, or is stopped. It is
 * stored with the records, and goes back only when all records are replaced.
 */
export interface SandboxClock {
  readonly now: Clock;
  readonly isFrozen: () => boolean;
  /** What it reads, for people; undefined if that is the time of the machine. */
  readonly difference: () => string | undefined;
  /** Reads the stored clock, which another process on the same database may have moved. */
  load(database: Queryable): Promise<void>;
  /** Makes the clock read this time now, and stores that. */
  set(database: Queryable, time: Date): Promise<void>;
  /** Stops the clock, or resumes it from where it stopped. */
  freeze(database: Queryable, frozen: boolean): Promise<void>;
  /** Replaces the clock by a stored one. */
  replace(database: Queryable, setting: ClockSetting): Promise<void>;
}

/** Creates the clock. `machine` is the time of the machine. */
export function createSandboxClock(machine: Clock): SandboxClock {
  let setting: ClockSetting = { ahead_ms: 0, frozen: null };
  const now = () => setting.frozen ?? new Date(machine().getTime() + setting.ahead_ms);
  const replace = async (database: Queryable, changed: ClockSetting) => {
    await writeClock(database, changed);
    setting = changed;
  };
  return {
    now,
    isFrozen: () => setting.frozen !== null,
    difference: () => {
      const { ahead_ms, frozen } = setting;
      if (ahead_ms === 0 && frozen === null) return undefined;
      const text = now().toISOString().slice(0, 19).replace('T', ' ');
      return `${text} UTC${frozen === null ? '' : ', frozen'}`;
    },
    load: async (database) => {
      const { ahead_ms, frozen } = await readControlState(database);
      setting = { ahead_ms, frozen };
    },
    set: (database, time) =>
      replace(database, {
        ahead_ms: time.getTime() - machine().getTime(),
        frozen: setting.frozen === null ? null : time,
      }),
    freeze: (database, frozen) =>
      replace(database, {
        ahead_ms: now().getTime() - machine().getTime(),
        frozen: frozen ? now() : null,
      }),
    replace,
  };
}
