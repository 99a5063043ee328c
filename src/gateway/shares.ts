/** Gives a place back. Later calls have no effect. */
export type Leave = () => void;

/** A number of places that several owners share. */
export interface Shares {
  /**
   * Takes a place for an owner, or waits for one. An owner's callers are served in their order.
   * Undefined if `stop` resolves first; it is called only if the caller has to wait.
   */
  enter(owner: string, stop: () => Promise<void>): Promise<Leave | undefined>;
  /** Takes a place if the owner may have one now. */
  take(owner: string): Leave | undefined;
}

/**
 * Shares places fairly: an owner may take one only while more are free than it holds. So an
 * owner alone holds at most half of them, the next one half of the rest, and so on: however
 * many places `n` owners hold, at least `size / 2 ** n`, rounded down, are free for others.
 */
export function createShares(size: number): Shares {
  let free = size;
  const held = new Map<string, number>();
  /** The owner that was served longest ago comes first; one without waiting callers is not there. */
  const waiting = new Map<string, Set<(leave: Leave | undefined) => void>>();

  function take(owner: string): Leave | undefined {
    const own = held.get(owner) ?? 0;
    if (own >= free) return undefined;
    free--;
    held.set(owner, own + 1);
    let isHeld = true;
    return () => {
      if (isHeld) giveBack(owner);
      isHeld = false;
    };
  }

  function giveBack(owner: string): void {
    const rest = (held.get(owner) ?? 0) - 1;
    if (rest === 0) held.delete(owner);
    else held.set(owner, rest);
    free++;
    serve();
  }

  /** Serves waiting callers. Their owners take turns: one that was served goes to the end. */
  function serve(): void {
    for (const [owner, callers] of waiting) {
      const [first] = callers;
      if (first === undefined) continue;
      const leave = take(owner);
      if (leave === undefined) continue;
      callers.delete(first);
      waiting.delete(owner);
      if (callers.size > 0) waiting.set(owner, callers);
      first(leave);
    }
  }

  return {
    take,
    enter: async (owner, stop) =>
      take(owner) ??
      new Promise((resolve) => {
        const callers = waiting.get(owner) ?? new Set();
        waiting.set(owner, callers.add(resolve));
        void stop().then(() => {
          if (callers.delete(resolve) && callers.size === 0) waiting.delete(owner);
          resolve(undefined);
        });
      }),
  };
}
