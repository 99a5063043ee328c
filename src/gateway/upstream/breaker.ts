import { breakers } from '../channels.ts';
import { createRetryBudget, type Repeats, type RetryBudgetSettings } from './repeat-read.ts';
import type { ServiceName } from './rest-error.ts';

/** When calls to a service that fails are no longer made. */
export interface BreakerSettings {
  /** Consecutive failures; 0 for no breaker. */
  readonly consecutive: number;
  /** Share of the calls in the window that fail. */
  readonly ratio: number;
  /** Calls in the window before the share counts. */
  readonly minCalls: number;
  readonly windowMs: number;
  /** How long no call is made. */
  readonly openMs: number;
}

/** How a call ended, as far as it shows whether the service works. */
export type CallOutcome =
  | 'SUCCESS'
  /** The service cannot be reached, does not respond in time, or responds with what cannot be used. */
  | 'FAILURE'
  /** One path of the service may be broken: counts for the share only, and closes nothing. */
  | 'ERROR'
  /** Shows nothing. */
  | 'NONE';

/** Permission for one call. Its result must be reported, once. */
export type Report = (outcome: CallOutcome) => void;

/** How to report a call; or after how many milliseconds calls are possible again. */
export type Permission = Report | { readonly retryAfterMs: number };

/** Stops calling a service that does not work, and tries again with one read after a pause. */
export interface Breaker {
  /** Asks for a call. */
  enter(isRead: boolean): Permission;
  /** Whether calls are not made at the moment. */
  isOpen(): boolean;
  /** Makes calls again, as if none had failed. What calls before this report shows nothing new. */
  reset(): void;
}

const SLICES = 10;

/**
 * Creates the breaker of one service.
 *
 * @param now in milliseconds
 * @param onChange called when it opens, and when it is closed again
 */
export function createBreaker(
  settings: BreakerSettings,
  now: () => number,
  onChange: (state: 'open' | 'closed') => void = () => {},
): Breaker {
  const window = createWindow(settings.windowMs, now);
  let inSuccession = 0;
  /** Until when no call is made; undefined while the breaker is closed. */
  let openUntil: number | undefined;
  let isProbing = false;
  /** Grows each time the breaker opens or is reset. */
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
    // Only a call that fails can open it.
    if (outcome === 'SUCCESS') return;
    const { calls, failures } = window.sum();
    const isOften = calls >= settings.minCalls && failures >= calls * settings.ratio;
    if (inSuccession >= settings.consecutive || isOften) open();
  }

  /** The one call after a pause decides whether others follow. */
  function probe(): Report {
    isProbing = true;
    const begun = generation;
    return (outcome) => {
      if (begun !== generation) return;
      isProbing = false;
      if (outcome === 'NONE') return;
      // An error shows no more than that something responds, such as a proxy.
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
          // A call that began before the breaker opened or was reset shows nothing new.
          if (begun === generation) count(outcome);
        };
      }
      const retryAfterMs = openUntil - now();
      if (retryAfterMs <= 0 && isRead && !isProbing) return probe();
      return { retryAfterMs: Math.max(retryAfterMs, 1) };
    },
  };
}

/** Counts calls and failures of the last milliseconds, to the tenth of that time. */
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
          ? `The service "${service}" is not called at the moment, because calls to it have failed.`
          : `The service "${service}" is called again.`,
      );
    }),
  };
}
