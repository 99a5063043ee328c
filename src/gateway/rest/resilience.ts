import { breakers } from '../channels.ts';
import { type Breaker, type BreakerSettings, createBreaker } from './breaker.ts';
import type { ServiceName } from './rest-error.ts';
import { createRetryBudget, type RetryBudget, type RetryBudgetSettings } from './retry-budget.ts';

/** How calls to services that fail are repeated, and when they are no longer made. */
export interface ResilienceSettings {
  /** How often one read is repeated at most. */
  readonly retries: number;
  /** One read with its repeats and the pauses between them, in milliseconds. */
  readonly totalMs: number;
  readonly retryBudget: RetryBudgetSettings;
  readonly breaker: BreakerSettings;
}

/** What all calls to one service share, over whichever connections they go. */
export interface Resilience extends Pick<ResilienceSettings, 'retries' | 'totalMs'> {
  readonly retryBudget: RetryBudget;
  readonly breaker: Breaker;
}

/**
 * Creates what the calls to one service share.
 *
 * @param report called with messages for the operator
 */
export function createResilience(
  service: ServiceName,
  { retries, totalMs, retryBudget, breaker }: ResilienceSettings,
  report: (message: string) => void = () => {},
  now: () => number = () => performance.now(),
): Resilience {
  return {
    retries,
    totalMs,
    retryBudget: createRetryBudget(retryBudget, now),
    breaker: createBreaker(breaker, now, (state) => {
      breakers.publish({ service, state });
      report(
        state === 'open'
          ? `The service "${service}" is not called at the moment, because calls to it have failed.`
          : `The service "${service}" is called again.`,
      );
    }),
  };
}
