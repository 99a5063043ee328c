import type { Queryable } from '../../database/database.ts';
import type { Environment } from '../environment.ts';
import { replaceBySeed, type Seed } from '../seed/seed.ts';
import { type SandboxClock, writePayoutSchedule } from './sandbox-clock.ts';
import { restoreSnapshot } from './snapshot.ts';

/** What a reset replaces all records by: those of a new sandbox, or a snapshot. */
export type ResetTarget = Seed | { readonly snapshot: string };

const MACHINE_TIME = { ahead_ms: 0, frozen: null };

/**
 * Replaces all records and the clock in one database transaction. The demo app keeps its key, and the sequence
 * of ids continues: no new record gets the id of a deleted one. The clock becomes that of the
 * snapshot, the machine's for a new sandbox, or reads `time`. Merchants are no longer paid out on
 * a schedule.
 */
export async function reset(
  environment: Environment,
  clock: SandboxClock,
  target: ResetTarget,
  time?: Date,
): Promise<void> {
  const { database } = environment;
  try {
    await database.transaction(async (tx) => {
      await writePayoutSchedule(tx, { payout_every_ms: null, next_payout: null });
      await clock.replace(tx, await replaceRecords(environment, tx, target));
      if (time !== undefined) await clock.set(tx, time);
    });
  } catch (error) {
    await clock.load(database);
    throw error;
  }
}

async function replaceRecords(environment: Environment, tx: Queryable, target: ResetTarget) {
  if (typeof target === 'object') return restoreSnapshot(tx, target.snapshot);
  await replaceBySeed(environment, tx, target);
  return MACHINE_TIME;
}
