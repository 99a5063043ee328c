import type { Clock } from '../../../src/gateway/operation/clock.ts';

/** A clock whose time passes only while all others wait. */
export interface VirtualTime extends Clock {
  /** Wakes all sleepers in the order of their time, until nothing sleeps any more. */
  run(): Promise<void>;
}

/** Creates a clock that starts at zero. */
export function createVirtualTime(): VirtualTime {
  let now = 0;
  let order = 0;
  const sleeping: { at: number; order: number; wake: () => void }[] = [];
  const everythingElse = () => new Promise<void>((resolve) => setImmediate(resolve));

  const sleep = (ms: number) =>
    new Promise<void>((wake) => {
      sleeping.push({ at: now + Math.max(0, ms), order: order++, wake });
    });

  return {
    now: () => now,
    sleep,
    timeout: sleep,
    run: async () => {
      for (;;) {
        await everythingElse();
        let first = 0;
        for (let index = 1; index < sleeping.length; index++) {
          const [a, b] = [sleeping[index], sleeping[first]];
          if (a && b && (a.at < b.at || (a.at === b.at && a.order < b.order))) first = index;
        }
        const [next] = sleeping.splice(first, 1);
        if (next === undefined) return;
        now = next.at;
        next.wake();
      }
    },
  };
}
