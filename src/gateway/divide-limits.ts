import type { GatewaySettings } from './settings.ts';

/** The settings of one worker: what bounds the whole gateway is divided among the workers. */
export function divideLimits(settings: GatewaySettings): GatewaySettings {
  const { workers, load, rate, connections, exports, upstream } = settings;
  const part = (limit: number, least = 0) => limit && Math.max(least, Math.ceil(limit / workers));
  const { reads, writes, queue } = upstream.connections;
  // Every owner needs a place while another one has a place.
  const places = { reads: part(reads, 2), writes: part(writes, 2), queue: part(queue) };
  // Any worker may get the request that needs most.
  const maxHeldBytes = part(upstream.maxHeldBytes, upstream.allowance.maxBytes);
  return {
    ...settings,
    load: { ...load, inFlight: part(load.inFlight) },
    // Workers have a database, and a client cannot choose its worker.
    rate: { ...rate, isShared: true, keylessPerMinute: part(rate.keylessPerMinute) },
    connections: { ...connections, maxUnreadBytes: part(connections.maxUnreadBytes) },
    exports: { ...exports, inFlight: part(exports.inFlight) },
    upstream: { ...upstream, maxHeldBytes, connections: { ...upstream.connections, ...places } },
  };
}
