import type { Queryable } from '../../database/database.ts';
import type { Clock } from '../clock.ts';
import { type ClockSetting, readControlState, writeClock } from './control-state.ts';

/**
 * The clock of a sandbox. It reads the time of the machine plus an offset, or stands still. It is
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
  /** Stops the clock, or lets it go on from where it stands. */
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
