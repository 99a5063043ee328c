import { setTimeout as elapse } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { ReplicaStore } from './store/replica-store.ts';

/** How long a request waits for the copy of a new merchant, and how often it looks. */
const WAIT_MS = 3_000;
const STEP_MS = 50;
/** How long no request waits again for a merchant: twice as long after each wait in vain. */
const PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 600_000;
const MAX_KNOWN = 10_000;

/**
 * Waits for the copies of merchants that were just created, for requests that need them: for each
 * merchant once in a while, because it may be large, or one that the gateway's app has no access to.
 *
 * @param wake makes sync look for work at once
 */
export function createWaitForNew(store: ReplicaStore, wake: () => void) {
  const waits = new LRUCache<string, { end: Promise<void>; until: number; pauseMs: number }>({
    max: MAX_KNOWN,
  });

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
    for (const id of known) waits.delete(id);
    const now = performance.now();
    const fresh = merchantIds.filter((id) => !known.has(id) && now >= (waits.get(id)?.until ?? 0));
    if (fresh.length > 0) {
      const end = waitFor(fresh);
      for (const id of fresh) {
        const pauseMs = Math.min(MAX_PAUSE_MS, 2 * (waits.get(id)?.pauseMs ?? PAUSE_MS / 2));
        waits.set(id, { end, until: now + pauseMs, pauseMs });
      }
    }
    await Promise.all(merchantIds.map((id) => waits.get(id)?.end));
  };
}
