import { vi } from 'vitest';
import type { Clock } from '../../../src/gateway/operation/clock.ts';

/** The longest pause before a gateway tries again. */
const LONGEST_PAUSE_MS = 10;
/** Of what a gateway waits for, only the deadline of a request may be later. */
const LONG_MS = 60_000;
/** Not the limit of any other call, so that it identifies the time-outs of writes. */
const WRITE_MS = 90_000;

/** Settings of a gateway whose time limits pass only if a test lets them. */
export const controlledLimits = {
  limits: { connectMs: LONG_MS, getMs: LONG_MS, writeMs: WRITE_MS, maxBytes: 1 << 20 },
  deadlineMs: 300_000,
} as const;

/**
 * The time of a gateway, controlled so that no result depends on the speed of the machine.
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
  /** Lets the time limit of all writes pass that are being sent. */
  timeOutWrites(): void;
  /** Gives writes their own time limit again. */
  restore(): void;
}

const elapse = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());

/** Creates a clock for the gateways of a test, and controls their writes until `restore`. */
export function controlGatewayClock(): GatewayClock {
  let limitsPass = false;
  let frozenAt: number | undefined;
  const deadlines = new Set<() => void>();
  const writes = controlWrites();

  const clock: Clock = {
    now: () => frozenAt ?? Date.now(),
    sleep: (ms) => elapse(Math.min(ms, LONGEST_PAUSE_MS)),
    timeout: (ms) => {
      if (ms > LONG_MS) return new Promise((resolve) => void deadlines.add(resolve));
      return limitsPass ? elapse(ms) : new Promise(() => {});
    },
  };

  return {
    clock,
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
    timeOutWrites: writes.timeOut,
    restore: writes.restore,
  };
}

/** Replaces the timers of writes, which are those of `WRITE_MS`. */
function controlWrites(): { timeOut(): void; restore(): void } {
  const { timeout } = AbortSignal;
  const writes = new Set<AbortController>();
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    if (ms !== WRITE_MS) return timeout.call(AbortSignal, ms);
    const controller = new AbortController();
    writes.add(controller);
    return controller.signal;
  });
  return {
    timeOut: () => {
      for (const write of writes) write.abort(new DOMException('Timed out', 'TimeoutError'));
      writes.clear();
    },
    restore: () => spy.mockRestore(),
  };
}
