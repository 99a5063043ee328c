import type { Environment } from '../environment.ts';
import { nextOutcome, settleDisputes } from '../payments/disputes.ts';
import { nextPayout, payOutOnSchedule } from '../payments/payouts.ts';
import type { SandboxClock } from './sandbox-clock.ts';

/** Does what is due by the clock: outcomes of disputes, then payouts. */
export async function doWhatIsDue(environment: Environment): Promise<void> {
  await settleDisputes(environment);
  await payOutOnSchedule(environment);
}

/**
 * Moves the clock forward. It stands still at each moment at which something is due, so that
 * everything happens in order and at its own time.
 */
export async function moveClock(
  environment: Environment,
  clock: SandboxClock,
  target: Date,
): Promise<void> {
  const { database } = environment;
  const wasFrozen = clock.isFrozen();
  await clock.freeze(database, true);
  try {
    await doWhatIsDue(environment);
    await moveFrozen(environment, clock, target);
  } finally {
    await clock.freeze(database, wasFrozen);
  }
}

async function moveFrozen(
  environment: Environment,
  clock: SandboxClock,
  target: Date,
): Promise<void> {
  const { database } = environment;
  for (;;) {
    const times = await Promise.all([nextOutcome(database), nextPayout(database)]);
    const next = times.reduce<Date>(
      (first, time) => (time !== undefined && time < first ? time : first),
      target,
    );
    if (next > clock.now()) await clock.set(database, next);
    await doWhatIsDue(environment);
    if (next === target) return;
  }
}
