import { createShares, type Leave } from '../shares.ts';

/** Lets so many calls at a time reach a service, shared fairly between their owners. */
export interface Gate {
  /**
   * Takes a place, or waits for one. FULL if too many wait already; LATE if none was free in time.
   *
   * @param waitMs milliseconds; Infinity to wait without a limit
   */
  enter(owner: string, waitMs: number): Promise<Leave | 'FULL' | 'LATE'>;
}

/** Creates a gate with a number of places, for which a number of calls may wait. */
export function createGate(places: number, queue: number): Gate {
  const shares = createShares(places);
  let waiting = 0;
  return {
    enter: async (owner, waitMs) => {
      const free = shares.take(owner);
      if (free !== undefined) return free;
      if (waiting >= queue) return 'FULL';
      waiting++;
      let timer: NodeJS.Timeout | undefined;
      const late = () =>
        new Promise<void>((resolve) => {
          if (Number.isFinite(waitMs)) timer = setTimeout(resolve, waitMs).unref();
        });
      try {
        return (await shares.enter(owner, late)) ?? 'LATE';
      } finally {
        waiting--;
        clearTimeout(timer);
      }
    },
  };
}
