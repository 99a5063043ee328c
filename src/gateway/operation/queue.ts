import { type StartLimit, within } from '../../within.ts';
import type { Leave } from '../shares.ts';
import type { Clock } from './clock.ts';

/**
 * Queues the callers of one lock key in this process, in the order in which they came. The
 * store would let only one of them continue anyway, each after some work.
 */
export function createQueue(clock: Clock) {
  const tails = new Map<string, Promise<void>>();

  /** Waits for the callers ahead, but not longer than `until`; then continues without them. */
  return async (lockKey: string, until: number): Promise<Leave> => {
    const ahead = tails.get(lockKey);
    let leave: Leave = () => {};
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const tail = (ahead ?? Promise.resolve())
      .then(() => left)
      .then(() => {
        if (tails.get(lockKey) === tail) tails.delete(lockKey);
      });
    tails.set(lockKey, tail);
    if (ahead !== undefined) {
      const limit: StartLimit = (onPassed) => clock.startLimit(until - clock.now(), onPassed);
      await within(ahead, limit, () => {});
    }
    return leave;
  };
}
