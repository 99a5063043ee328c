import type { Clock } from '../../../src/gateway/money/engine/clock.ts';

/** The longest pause before a gateway tries again. */
const LONGEST_PAUSE_MS = 10;
/** Of what a gateway waits for, only the deadline of a request may be later. */
const LONG_MS = 60_000;
/** Not the limit of any other call, so that it identifies the time-outs of writes. */
export const WRITE_MS = 90_000;

/** Settings of a gateway whose time limits pass only if a test lets them. */
export const controlledLimits = {
  limits: { getMs: LONG_MS, writeMs: WRITE_MS, maxBytes: 1 << 20 },
  deadlineMs: 300_000,
} as const;

/**
 * The time of gateways, controlled so that no result depends on the speed of the machine.
 * Pauses are short. Time limits do not pass: neither that of the store, nor how long a caller
 * waits for another one, nor the deadline of a request with {@link controlledLimits}.
 */
export interface GatewayClock {
  /** To start gateways with. */
  readonly clock: Clock;
  /** From now on the limit of the store and that of waiting callers pass as usual. */
  startLimits(): void;
  /** Stops the clock, so that a caller waits for another one without a limit. */
  freeze(): void;
  /** Ends `startLimits` and `freeze`. */
  reset(): void;
  /** Lets the deadline of all requests pass whose operation is being sent. */
  passDeadlines(): void;
}

const elapse = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());

/** Creates a clock for the gateways of a test. */
export function createGatewayClock(): GatewayClock {
  let limitsPass = false;
  let frozenAt: number | undefined;
  const deadlines = new Set<() => void>();
  return {
    clock: {
      now: () => frozenAt ?? Date.now(),
      sleep: (ms) => elapse(Math.min(ms, LONGEST_PAUSE_MS)),
      startLimit: (ms, onPassed) => {
        if (ms > LONG_MS) {
          deadlines.add(onPassed);
          return () => void deadlines.delete(onPassed);
        }
        if (!limitsPass) return () => {};
        const timer = setTimeout(onPassed, ms).unref();
        return () => clearTimeout(timer);
      },
    },
    startLimits: () => {
      limitsPass = true;
    },
    freeze: () => {
      frozenAt = Date.now();
    },
    reset: () => {
      limitsPass = false;
      frozenAt = undefined;
    },
    passDeadlines: () => {
      for (const pass of deadlines) pass();
      deadlines.clear();
    },
  };
}
