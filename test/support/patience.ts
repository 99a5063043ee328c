import type { GatewayOptions } from '../../src/gateway/gateway.ts';
import type { StoreOptions } from '../../src/gateway/money/store/open-store.ts';

// Time limits that no machine is too slow for, because a test's result must depend on what
// happened. A test of a time limit sets that limit itself.

const PATIENCE_MS = 120_000;
/** How much slower the time of money operations passes, so that no deadline ends. */
const SLOWER = 20;
/** How much shorter the pauses between two attempts are. */
const SHORTER = 10;

/** A store whose statements and leases do not end while a test runs. */
export const patientStore = {
  leaseMs: 10 * PATIENCE_MS,
  patienceMs: PATIENCE_MS,
} satisfies Partial<StoreOptions>;

const started = Date.now();
const elapse = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());

/** A gateway whose time limits do not end while a test runs, and whose pauses are short. */
export const patientGateway = {
  limits: {
    getMs: PATIENCE_MS,
    writeMs: PATIENCE_MS,
    maxBytes: 2 * 1024 * 1024,
  },
  upstream: {
    connections: { reads: 64, writes: 16, queue: 10_000, keepAliveMs: 4_000 },
    // A test counts calls. A test of repeats and of the breaker turns them on.
    resilience: {
      retries: 0,
      totalMs: PATIENCE_MS,
      retryBudget: { ratio: 0, perSecond: 0 },
      breaker: { consecutive: 0, ratio: 1, minCalls: 1, windowMs: 1_000, openMs: 1_000 },
    },
    allowance: { maxCalls: 10_000, maxBytes: 1 << 30 },
    maxHeldBytes: 1 << 30,
    maxSearchCalls: 20,
  },
  deadlineMs: 2 * PATIENCE_MS,
  exports: { maxItems: 1_000_000, maxMs: PATIENCE_MS, inFlight: 2, maxCallsPerSecond: 0 },
  rate: { pointsPerMinute: 0, keylessPerMinute: 0 },
  load: { inFlight: 10_000, loopDelayMs: PATIENCE_MS },
  clock: {
    now: () => started + (Date.now() - started) / SLOWER,
    sleep: (ms) => elapse(ms / SHORTER),
    startLimit: (ms, onPassed) => {
      const timer = setTimeout(onPassed, ms * SLOWER).unref();
      return () => clearTimeout(timer);
    },
  },
} satisfies Partial<GatewayOptions>;
