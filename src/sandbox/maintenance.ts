import type { Environment } from './environment.ts';
import { deleteOldChanges } from './state/as-of.ts';
import { doWhatIsDue } from './state/due.ts';
import type { SandboxClock } from './state/sandbox-clock.ts';

const EVERY_MS = 1_000;

/**
 * Regularly reads the stored clock, which another process on the same database may have moved,
 * does what is due, and deletes changes that no read needs any more.
 */
export function startMaintenance(
  environment: Environment,
  clock: SandboxClock,
  exclusively: <T>(work: () => Promise<T>) => Promise<T>,
  onBug: (error: unknown) => void,
): { stop(): Promise<void> } {
  const { database } = environment;
  let current = Promise.resolve();
  const timer = setInterval(() => {
    current = exclusively(async () => {
      await clock.load(database);
      await doWhatIsDue(environment);
      await deleteOldChanges(database);
    }).catch(onBug);
  }, EVERY_MS);
  timer.unref();
  return {
    stop: () => {
      clearInterval(timer);
      return current;
    },
  };
}

/** Creates a function that runs work in the order of the calls, each after the one before. */
export function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  };
}
