import { breakers } from '../channels.ts';
import { createRetryBudget, type Repeats, type RetryBudgetSettings } from './repeat-read.ts';
import type { ServiceName } from './rest-error.ts';

/** When to stop calling a service that fails. */
export interface BreakerSettings {
  /** Consecutive failures; 0 for no breaker. */
  readonly consecutive: number;
  /** Share of failed calls in the window. */
  readonly ratio: number;
  /** Minimum calls in the window before the share counts. */
  readonly minCalls: number;
  readonly windowMs: number;
  /** How long calls are stopped. */
  readonly openMs: number;
}

/** What a call shows about whether the service works. */
export type CallOutcome =
  | 'SUCCESS'
  /** The service cannot be reached, does not respond in time, or its response is unusable. */
  | 'FAILURE'
  /**
   * One path of the service may be broken: counts only for the share, and does not close the
   * breaker.
   */
  | 'ERROR'
  /** The call shows nothing. */
  | 'NONE';

/** Permission for one call. Report its outcome exactly once. */
export type Report = (outcome: CallOutcome) => void;

/** How to report a call, or how many milliseconds to wait. */
export type Permission = Report | { readonly retryAfterMs: number };

/** Stops calling a service that does not work, and tries again with one read after a pause. */
export interface Breaker {
  /** Requests a call. */
  enter(isRead: boolean): Permission;
  /** Whether calls are stopped. */
  isOpen(): boolean;
  /** Allows calls again, as if none had failed. Reports of earlier calls are ignored. */
  reset(): void;
}

const SLICES = 10;

/**
 * Creates the breaker of one service.
 *
 * @param now in milliseconds
 * @param onChange called when it opens, and when it closes again
 */
export function createBreaker(
  settings: BreakerSettings,
  now: () => number,
  onChange: (state: 'open' | 'closed') => void = () => {},
): Breaker {
  const window = createWindow(settings.windowMs, now);
  let inSuccession = 0;
  /** When calls may be tried again; undefined while the breaker is closed. */
  let openUntil: number | undefined;
  let isProbing = false;
  /** Incremented each time the breaker opens or is reset. */
  let generation = 0;

  function open(): void {
    if (openUntil === undefined) onChange('open');
    generation++;
    openUntil = now() + settings.openMs;
    inSuccession = 0;
    window.clear();
  }

  function count(outcome: CallOutcome): void {
    if (outcome === 'NONE') return;
    window.add(outcome !== 'SUCCESS');
    inSuccession = outcome === 'FAILURE' ? inSuccession + 1 : 0;
    // Only a failed call can open it.
    if (outcome === 'SUCCESS') return;
    const { calls, failures } = window.sum();
    const isOften = calls >= settings.minCalls && failures >= calls * settings.ratio;
    if (inSuccession >= settings.consecutive || isOften) open();
  }

  /** A single call after the pause decides whether to close the breaker. */
  function probe(): Report {
    isProbing = true;
    const begun = generation;
    return (outcome) => {
      if (begun !== generation) return;
      isProbing = false;
      if (outcome === 'NONE') return;
      // An error only shows that something responds, such as a proxy.
      if (outcome !== 'SUCCESS') return open();
      openUntil = undefined;
      onChange('closed');
    };
  }

  function reset(): void {
    if (openUntil !== undefined) onChange('closed');
    generation++;
    openUntil = undefined;
    isProbing = false;
    inSuccession = 0;
    window.clear();
  }

  return {
    isOpen: () => openUntil !== undefined,
    reset,
    enter: (isRead) => {
      if (settings.consecutive === 0) return () => {};
      if (openUntil === undefined) {
        const begun = generation;
        return (outcome) => {
          // A call that started before the breaker opened or was reset shows nothing new.
          if (begun === generation) count(outcome);
        };
      }
      const retryAfterMs = openUntil - now();
      if (retryAfterMs <= 0 && isRead && !isProbing) return probe();
      return { retryAfterMs: Math.max(retryAfterMs, 1) };
    },
  };
}

/** Counts the calls and failures in a sliding window of ten slices. */
function createWindow(windowMs: number, now: () => number) {
  const sliceMs = windowMs / SLICES;
  let slices: { readonly index: number; calls: number; failures: number }[] = [];
  const current = () => Math.floor(now() / sliceMs);
  const forgetBefore = (index: number) => {
    slices = slices.filter((slice) => slice.index > index - SLICES);
  };
  return {
    add: (isFailure: boolean) => {
      const index = current();
      let slice = slices.at(-1);
      if (slice?.index !== index) {
        forgetBefore(index);
        slice = { index, calls: 0, failures: 0 };
        slices.push(slice);
      }
      slice.calls++;
      if (isFailure) slice.failures++;
    },
    sum: () => {
      forgetBefore(current());
      return slices.reduce(
        (sum, { calls, failures }) => ({
          calls: sum.calls + calls,
          failures: sum.failures + failures,
        }),
        { calls: 0, failures: 0 },
      );
    },
    clear: () => {
      slices = [];
    },
  };
}

/** How failed calls are retried, and when calls are stopped. */
export interface ResilienceSettings {
  /** Maximum retries of one read. */
  readonly retries: number;
  /** Time limit of one read, including retries and pauses, in milliseconds. */
  readonly totalMs: number;
  readonly retryBudget: RetryBudgetSettings;
  readonly breaker: BreakerSettings;
}

/** What all calls to one service share, across connections. */
export interface Resilience extends Repeats {
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
          ? `The gateway has stopped calling the service "${service}", because calls to it failed.`
          : `The gateway calls the service "${service}" again.`,
      );
    }),
  };
}
