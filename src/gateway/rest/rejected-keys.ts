import { LRUCache } from 'lru-cache';

/** App keys that the service has just rejected, by what identifies them in this process. */
export interface RejectedKeys {
  has(owner: string): boolean;
  add(owner: string): void;
}

const TTL_MS = 5_000;
const MAX_KEYS = 10_000;

/** Remembers rejected keys for five seconds, so that many calls with one of them cost one. */
export function createRejectedKeys(): RejectedKeys {
  const keys = new LRUCache<string, true>({ max: MAX_KEYS, ttl: TTL_MS });
  return {
    has: (owner) => keys.has(owner),
    add: (owner) => {
      keys.set(owner, true);
    },
  };
}
