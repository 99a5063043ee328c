import type { Viewer } from './attempt.ts';
import type { Runner } from './runner.ts';
import type { OperationStore } from './store/operation-store.ts';

const SWEEP_MS = 15_000;
/** When open operations are looked at without a caller: at first soon, then patiently. */
const RECONCILE_MS: Waits = [30_000, 120_000, 600_000];

/** Settings of the upkeep. */
export interface UpkeepSettings {
  readonly retentionDays: number;
  /** Key of an app that may look at open operations; without it nobody does. */
  readonly reconcileKey?: string;
}

/** Pauses in milliseconds; the last one repeats. */
type Waits = readonly [number, ...number[]];

/** Work that goes on without requests, until it is stopped. */
export interface Upkeep {
  stop(): void;
}

/**
 * Ends leases that ran out, forgets what ended long ago, and, if the operator gave a key for
 * it, looks at operations whose outcome is unknown. It never sends anything.
 */
export function startUpkeep(
  runner: Runner,
  store: OperationStore,
  { retentionDays, reconcileKey }: UpkeepSettings,
  createViewer: (key: string) => Viewer,
): Upkeep {
  const timers = new Set<NodeJS.Timeout>();

  /** Repeats work; what fails is tried again in time. */
  function every([wait, next = wait, ...later]: Waits, work: () => Promise<void>): void {
    const timer = setTimeout(async () => {
      timers.delete(timer);
      await work().catch(() => {});
      if (!stopped) every([next, ...later], work);
    }, wait).unref();
    timers.add(timer);
  }

  let stopped = false;
  every([SWEEP_MS], async () => store.sweep(retentionDays));
  if (reconcileKey !== undefined) {
    every(RECONCILE_MS, async () => runner.reconcile(createViewer(reconcileKey)));
  }
  return {
    stop: () => {
      stopped = true;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
