import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EffectFinder } from './attempt.ts';
import type { Runner } from './runner.ts';
import type { OperationStore } from './store/operation-store.ts';

const SWEEP_MS = 15_000;
/** A longer time without a sweep does not count, because the process may have been suspended. */
const LONGEST_MS = 60_000;
/** When unknown outcomes are reconciled without a caller: soon at first, then less often. */
const RECONCILE_MS: Pauses = [30_000, 120_000, 600_000];

/** Settings of maintenance. */
export interface MaintenanceSettings {
  readonly retentionDays: number;
  /** Key of an app that may read the transactions; if unset, maintenance reconciles nothing. */
  readonly reconcileKey?: string;
}

/** Pauses in milliseconds; the last one repeats. */
type Pauses = readonly [number, ...number[]];

/** Periodic work that runs without requests. */
export interface Maintenance {
  stop(): void;
}

/**
 * Ends leases that have expired, deletes operations past their retention and, if the operator
 * has set `MONEY_RECONCILE_API_KEY`, reconciles unknown outcomes. It never sends anything.
 */
export function startMaintenance(
  runner: Runner,
  store: OperationStore,
  { retentionDays, reconcileKey }: MaintenanceSettings,
  createFinder: (key: string) => EffectFinder,
  report: (message: string) => void,
): Maintenance {
  const timers = new Set<NodeJS.Timeout>();
  let stopped = false;

  /** Repeats work, even after a run that failed. */
  function every([pause, next = pause, ...later]: Pauses, work: () => Promise<void>): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      void work()
        .catch(() => {})
        .then(() => {
          if (!stopped) every([next, ...later], work);
        });
    }, pause).unref();
    timers.add(timer);
  }

  /** Undefined if the last sweep failed: another gateway may have counted the time since then. */
  let sweptAt: number | undefined = performance.now();
  async function sweep(): Promise<boolean> {
    const now = performance.now();
    const sinceSweep = now - (sweptAt ?? now);
    sweptAt = undefined;
    const ownMs = sinceSweep > LONGEST_MS ? 0 : sinceSweep;
    const { clockJumpMs, isFull } = await store.sweep({ retentionDays, ownMs });
    sweptAt = now;
    if (clockJumpMs !== 0) {
      report(
        `the clock of the database was set by ${Math.round(clockJumpMs / 1_000)} s; times of money operations do not follow it`,
      );
    }
    return isFull;
  }

  every([SWEEP_MS], async () => {
    // Each sweep is one transaction. An embedded database runs in this process, so requests are
    // handled between two sweeps.
    while ((await sweep()) && !stopped) await nextTurn();
  });
  if (reconcileKey !== undefined) {
    every(RECONCILE_MS, async () => runner.reconcileAll(createFinder(reconcileKey)));
  }
  return {
    stop: () => {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
