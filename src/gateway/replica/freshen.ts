import { setTimeout as elapse } from 'node:timers/promises';
import type { ReplicaStore } from './store/replica-store.ts';

/** How long a request waits for a copy to be brought up to date, and how often it looks. */
const FRESHEN_MS = 8_000;
const FRESHEN_STEP_MS = 50;
const FRESHEN_STEPS = 20;
/** Every so many steps, sync looks for work: the merchant's turn may not have come before. */
const WAKE_STEPS = 4;

/**
 * Brings copies up to date for requests that ask for it.
 *
 * @param wake makes sync look for work at once
 */
export function createFreshen(store: ReplicaStore, wake: () => void) {
  const polls = new Map<string, Promise<void>>();

  /** Waits until a copy is not older than this. False if that takes too long. */
  async function freshen(merchantId: string, maxAgeSeconds: number): Promise<boolean> {
    const since = await store.now();
    const end = performance.now() + FRESHEN_MS;
    for (let isFirst = true; ; isFirst = false) {
      if (await store.isFresh(merchantId, since, maxAgeSeconds)) return true;
      if (performance.now() > end) return false;
      if (isFirst) await store.want([merchantId]);
      await nextPoll(merchantId);
    }
  }

  /** Waits until a merchant has been polled, however many wait. Ends after a while without a poll. */
  function nextPoll(merchantId: string): Promise<void> {
    const known = polls.get(merchantId);
    if (known !== undefined) return known;
    const poll = waitForPoll(merchantId).finally(() => polls.delete(merchantId));
    polls.set(merchantId, poll);
    return poll;
  }

  async function waitForPoll(merchantId: string): Promise<void> {
    const [before] = await store.find([merchantId]);
    for (let step = 0; step < FRESHEN_STEPS; step++) {
      if (step % WAKE_STEPS === 0) wake();
      await elapse(FRESHEN_STEP_MS);
      const [now] = await store.find([merchantId]);
      if (now?.asOf?.getTime() !== before?.asOf?.getTime() || now?.state !== before?.state) return;
    }
  }

  return freshen;
}
