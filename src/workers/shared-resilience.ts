import type { Breaker, BreakerSettings, CallOutcome, Permission } from '../gateway/rest/breaker.ts';
import type { Resilience, ResilienceSettings } from '../gateway/rest/resilience.ts';
import type { ServiceName } from '../gateway/rest/rest-error.ts';
import type { BreakerState, CallReport, PrimaryOffer } from './contract.ts';
import type { Peer } from './peer.ts';

/** What the calls of one worker to one service share with those of the other workers. */
export interface SharedResilience extends Resilience {
  /** Reports what was seen. To be called about once a second. */
  flush(): Promise<void>;
  /** Takes what was seen and not yet reported. */
  gather(): CallReport;
  setState(state: BreakerState): void;
}

/** What a worker has seen of a service. */
interface Seen {
  generation: number;
  reads: number;
  successes: number;
  retriesLeft: number;
}

/** After this time, a worker asks again whether it may make a call. */
const ASK_AGAIN_MS = 100;

/**
 * Creates the worker's side of the breaker and the retry budget of one service. The primary has
 * their state (`resilience-hub.ts`). A success costs no message of its own: it is counted, and
 * reported with the next failure, when the primary asks, or once a second.
 *
 * @param onChange called when the breaker opens, and when it is closed again
 */
export function createSharedResilience(
  service: ServiceName,
  { retries, totalMs, retryBudget, breaker }: ResilienceSettings,
  primary: Peer<PrimaryOffer>,
  now: () => number = () => performance.now(),
  onChange: (state: 'open' | 'closed') => void = () => {},
): SharedResilience {
  const seen: Seen = { generation: 0, reads: 0, successes: 0, retriesLeft: retryBudget.perSecond };
  const shared = createSharedBreaker(service, breaker, primary, seen, now, onChange);
  return {
    retries,
    totalMs,
    breaker: shared,
    setState: shared.setState,
    gather: () => take(seen),
    flush: async () => {
      const { retriesLeft } = await primary.call('report', service, take(seen));
      seen.retriesLeft = retriesLeft;
    },
    retryBudget: {
      left: () => seen.retriesLeft,
      earn: () => {
        seen.reads++;
      },
      take: () => {
        const { reads } = seen;
        seen.reads = 0;
        return primary.call('takeRepeat', service, reads).catch(() => false);
      },
    },
  };
}

function take(seen: Seen): CallReport {
  const { generation, reads, successes } = seen;
  seen.reads = 0;
  seen.successes = 0;
  return { generation, reads, successes };
}

function createSharedBreaker(
  service: ServiceName,
  { consecutive, openMs }: BreakerSettings,
  primary: Peer<PrimaryOffer>,
  seen: Seen,
  now: () => number,
  onChange: (state: 'open' | 'closed') => void,
): Breaker & Pick<SharedResilience, 'setState'> {
  /** Until when no call is made; undefined while the breaker is closed. */
  let openUntil: number | undefined;
  let isAsking = false;

  function count(begun: number, outcome: CallOutcome): void {
    // A call that began before the breaker opened or closed shows nothing new.
    if (begun !== seen.generation || outcome === 'NONE') return;
    if (outcome === 'SUCCESS') seen.successes++;
    else primary.tell('report', service, { ...take(seen), failure: outcome });
  }

  /** Asks for the one call that is made after a pause. */
  async function askForProbe(): Promise<Permission> {
    isAsking = true;
    try {
      const probe = await primary.call('probe', service);
      if ('isGranted' in probe) return (outcome) => primary.tell('endProbe', service, outcome);
      const retryAfterMs = Math.max(probe.retryAfterMs, ASK_AGAIN_MS);
      if (openUntil !== undefined) openUntil = now() + retryAfterMs;
      return { retryAfterMs };
    } catch {
      // Without the primary, this worker is about to stop.
      return { retryAfterMs: openMs };
    } finally {
      isAsking = false;
    }
  }

  return {
    isOpen: () => openUntil !== undefined,
    enter: (isRead) => {
      if (consecutive === 0) return () => {};
      if (openUntil === undefined) {
        const begun = seen.generation;
        return (outcome) => count(begun, outcome);
      }
      const retryAfterMs = openUntil - now();
      if (retryAfterMs <= 0 && isRead && !isAsking) return askForProbe();
      return { retryAfterMs: Math.max(retryAfterMs, 1) };
    },
    setState: ({ generation, openForMs }) => {
      const wasOpen = openUntil !== undefined;
      if (generation !== seen.generation) seen.successes = 0;
      seen.generation = generation;
      openUntil = openForMs === undefined ? undefined : now() + openForMs;
      const isOpen = openUntil !== undefined;
      if (isOpen !== wasOpen) onChange(isOpen ? 'open' : 'closed');
    },
  };
}
