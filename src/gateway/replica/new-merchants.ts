import { setTimeout as elapse } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { ReplicaStore } from './store/replica-store.ts';

/** How long a request waits for the copy of a new merchant, and how often it looks. */
const WAIT_MS = 3_000;
const STEP_MS = 50;
/** How long no request waits again for the same merchant. */
const EVERY_MS = 5_000;
const MAX_KNOWN = 10_000;

/**
 * Waits for the copies of merchants that were just created, for requests that need them: for each
 * merchant once in a while, because it may be large, or one that the gateway's app has no access to.
 *
 * @param wake makes sync look for work at once
 */
export function createWaitForNew(store: ReplicaStore, wake: () => void) {
  const waiting = new LRUCache<string, Promise<void>>({ max: MAX_KNOWN, ttl: EVERY_MS });

  async function waitFor(merchantIds: readonly string[]): Promise<void> {
    await store.listAgain();
    const end = performance.now() + WAIT_MS;
    while (performance.now() < end) {
      wake();
      const copies = await store.find(merchantIds);
      if (copies.filter(({ state }) => state !== 'COPYING').length === merchantIds.length) return;
      await elapse(STEP_MS);
    }
  }

  return async (merchantIds: readonly string[]): Promise<void> => {
    const copies = await store.find(merchantIds);
    const ended = copies.filter(({ state }) => state !== 'COPYING');
    const known = new Set(ended.map(({ merchant }) => merchant));
    const fresh = merchantIds.filter((id) => !known.has(id) && !waiting.has(id));
    if (fresh.length > 0) {
      const wait = waitFor(fresh);
      for (const id of fresh) waiting.set(id, wait);
    }
    await Promise.all(merchantIds.map((id) => waiting.get(id)));
  };
}
