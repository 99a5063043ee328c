import { createShares, type Leave } from './shares.ts';

/** Lets a limited number of calls at a time reach a service, shared fairly between their owners. */
export interface Gate {
  /**
   * Takes a place, or waits for one. FULL if too many of the owner's calls are already waiting: as
   * with places, an owner may take one in the queue only while more are free than it has. LATE if
   * no place was free in time.
   *
   * @param waitMs milliseconds; Infinity to wait without a limit
   */
  enter(owner: string, waitMs: number): Leave | Promise<Leave | 'FULL' | 'LATE'>;
  /** Whether the owner would get a place now. */
  hasPlace(owner: string): boolean;
  /** Number of waiting calls. */
  readonly waiting: number;
}

/** Creates a gate with a number of places and a queue for waiting calls. */
export function createGate(places: number, queue: number): Gate {
  const shares = createShares(places);
  const waiting = new Map<string, number>();
  let all = 0;

  /** Adds or removes a waiting call of an owner. */
  function count(owner: string, change: 1 | -1): void {
    all += change;
    const own = (waiting.get(owner) ?? 0) + change;
    if (own === 0) waiting.delete(owner);
    else waiting.set(owner, own);
  }

  function wait(owner: string, waitMs: number): Promise<Leave | 'FULL' | 'LATE'> {
    if ((waiting.get(owner) ?? 0) >= queue - all) return Promise.resolve('FULL');
    count(owner, 1);
    return new Promise((resolve) => {
      let timer: NodeJS.Timeout | undefined;
      const end = shares.wait(owner, (leave) => {
        clearTimeout(timer);
        count(owner, -1);
        resolve(leave);
      });
      if (!Number.isFinite(waitMs)) return;
      timer = setTimeout(() => {
        end();
        count(owner, -1);
        resolve('LATE');
      }, waitMs).unref();
    });
  }

  return {
    hasPlace: shares.hasPlace,
    enter: (owner, waitMs) => shares.take(owner) ?? wait(owner, waitMs),
    get waiting() {
      return all;
    },
  };
}
