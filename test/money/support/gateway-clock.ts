import { vi } from 'vitest';
import { machineClock } from '../../../src/gateway/operation/clock.ts';

/** The pauses of the gateway before it reads the service again, in milliseconds. */
const PAUSES_MS = new Set([200, 1_000, 5_000]);
/** How often a gateway checks whether another one has finished; here more often. */
const POLL_MS = 100;
const POLL_QUICKLY_MS = 10;
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
 * The time of the gateways in this process, controlled so that no result depends on the speed
 * of the machine. Pauses between reads of the service take no time. Time limits do not pass:
 * neither that of the store, nor how long a caller waits for another one, nor the deadline of
 * a request with {@link controlledLimits}.
 */
export interface GatewayClock {
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
  /** Gives the gateways their own time again. */
  restore(): void;
}

/** Takes control of the time of the gateways in this process, until `restore`. */
export function controlGatewayClock(): GatewayClock {
  const { now, sleep } = machineClock;
  let limitsPass = false;
  let frozenAt: number | undefined;
  const deadlines = new Set<() => void>();
  const writes = controlWrites();

  const sleepSpy = vi.spyOn(machineClock, 'sleep').mockImplementation((ms) => {
    if (PAUSES_MS.has(ms)) return sleep(0);
    if (ms <= POLL_MS) return sleep(Math.min(ms, POLL_QUICKLY_MS));
    if (ms > LONG_MS) return new Promise((resolve) => void deadlines.add(resolve));
    return limitsPass ? sleep(ms) : new Promise(() => {});
  });
  const nowSpy = vi.spyOn(machineClock, 'now').mockImplementation(() => frozenAt ?? now());

  return {
    startLimits: () => {
      limitsPass = true;
    },
    freeze: () => {
      frozenAt = now();
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
    restore: () => {
      sleepSpy.mockRestore();
      nowSpy.mockRestore();
      writes.restore();
    },
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
