import {
  type CallOutcome,
  createBreaker,
  type OwnBreaker,
  type Report,
} from '../gateway/rest/breaker.ts';
import type { ResilienceSettings } from '../gateway/rest/resilience.ts';
import { createRetryBudget } from '../gateway/rest/retry-budget.ts';
import type { BreakerState, CallReport, Probe } from './contract.ts';

/** A worker, as far as one service is concerned. */
export interface HubWorker {
  gather(): Promise<CallReport>;
  setState(state: BreakerState): void;
}

/** The breaker and the retry budget of one service, for all workers. */
export interface ResilienceHub {
  join(worker: HubWorker): void;
  /** Forgets a worker that has ended. */
  leave(worker: HubWorker): void;
  /** Counts what a worker has seen. */
  report(report: CallReport): Promise<{ readonly retriesLeft: number }>;
  probe(worker: HubWorker): Probe;
  endProbe(worker: HubWorker, outcome: CallOutcome): void;
  takeRepeat(reads: number): boolean;
}

/**
 * Creates the primary's side of the breaker and the retry budget of one service. They count the
 * calls of all workers as if one process had made them: before a failure counts, every worker
 * says what else it has seen, because calls that succeed are not reported one by one.
 *
 * @param onChange called when the breaker opens, and when it is closed again
 */
export function createResilienceHub(
  settings: Pick<ResilienceSettings, 'breaker' | 'retryBudget'>,
  now: () => number = () => performance.now(),
  onChange: (state: 'open' | 'closed') => void = () => {},
): ResilienceHub {
  const workers = new Set<HubWorker>();
  let generation = 0;
  const budget = createRetryBudget(settings.retryBudget, now);
  const breaker = createBreaker(settings.breaker, now, (state) => {
    generation++;
    onChange(state);
    const openForMs = settings.breaker.openMs;
    for (const worker of workers) {
      worker.setState(state === 'open' ? { generation, openForMs } : { generation });
    }
  });

  function count({ generation: seen, successes, failure }: CallReport): void {
    const outcomes: CallOutcome[] = new Array(successes).fill('SUCCESS');
    if (failure !== undefined) outcomes.push(failure);
    for (const outcome of outcomes) {
      // The breaker may have opened since, also because of what was counted just now.
      if (seen !== generation) return;
      const permission = breaker.enter(false);
      if (typeof permission === 'function') permission(outcome);
    }
  }

  const countFailure = createFailureCount(workers, count, budget.earn);
  const probes = createProbes(breaker);
  return {
    probe: probes.begin,
    endProbe: probes.end,
    join: (worker) => {
      workers.add(worker);
      const permission = breaker.isOpen() ? breaker.enter(false) : undefined;
      worker.setState(
        typeof permission === 'object'
          ? { generation, openForMs: permission.retryAfterMs }
          : { generation },
      );
    },
    report: async (report) => {
      budget.earn(report.reads);
      if (report.failure === undefined) count(report);
      else await countFailure(report);
      return { retriesLeft: budget.left() };
    },
    takeRepeat: (reads) => {
      budget.earn(reads);
      return budget.take();
    },
    leave: (worker) => {
      workers.delete(worker);
      probes.end(worker, 'NONE');
    },
  };
}

/** Counts failures in their order, after the workers have said what else they have seen. */
function createFailureCount(
  workers: ReadonlySet<HubWorker>,
  count: (report: CallReport) => void,
  earn: (reads: number) => void,
): (failure: CallReport) => Promise<void> {
  let failures: CallReport[] = [];
  let isGathering = false;
  return async (failure) => {
    failures.push(failure);
    if (isGathering) return;
    isGathering = true;
    const seen = await Promise.allSettled([...workers].map((worker) => worker.gather()));
    isGathering = false;
    for (const result of seen) {
      if (result.status !== 'fulfilled') continue;
      earn(result.value.reads);
      count(result.value);
    }
    const reported = failures;
    failures = [];
    for (const report of reported) count(report);
  };
}

/** Lets one worker make the call that decides whether others follow. */
function createProbes(breaker: OwnBreaker) {
  const probes = new Map<HubWorker, Report>();
  function end(worker: HubWorker, outcome: CallOutcome): void {
    probes.get(worker)?.(outcome);
    probes.delete(worker);
  }
  return {
    end,
    begin: (worker: HubWorker): Probe => {
      const permission = breaker.enter(true);
      if (typeof permission === 'object') return permission;
      probes.set(worker, permission);
      return { isGranted: true };
    },
  };
}
