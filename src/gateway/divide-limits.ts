import type { GatewaySettings } from './settings.ts';

/** The part of a limit that each of several workers has: together at least the limit. */
export function shareOf(limit: number, workers: number, least = 1): number {
  return limit === 0 ? 0 : Math.max(least, Math.ceil(limit / workers));
}

/** Every owner needs a place while another one has a place. */
const LEAST_CONNECTIONS = 2;

/**
 * The settings of one worker. What bounds the whole gateway is divided, but not what the workers
 * share, nor what bounds one request.
 */
export function divideLimits(settings: GatewaySettings): GatewaySettings {
  const { workers, load, rate, connections, upstream, exports } = settings;
  const part = (limit: number, least?: number) => shareOf(limit, workers, least);
  return {
    ...settings,
    load: { ...load, inFlight: part(load.inFlight) },
    // One client has its connections to few of the workers.
    rate: {
      ...rate,
      isShared: workers > 1 || rate.isShared,
      keylessPerMinute: part(rate.keylessPerMinute),
    },
    connections: { ...connections, maxUnreadBytes: part(connections.maxUnreadBytes) },
    exports: { ...exports, inFlight: part(exports.inFlight) },
    upstream: {
      ...upstream,
      connections: {
        ...upstream.connections,
        reads: part(upstream.connections.reads, LEAST_CONNECTIONS),
        writes: part(upstream.connections.writes, LEAST_CONNECTIONS),
        queue: part(upstream.connections.queue),
      },
      // Any worker may get the request that needs most.
      maxHeldBytes: part(upstream.maxHeldBytes, upstream.allowance.maxBytes),
    },
  };
}
