import type { Clock } from './clock.ts';

/** Lets go of a turn; the next in line has it then. */
export type Leave = () => void;

/**
 * Lets the callers of one transaction go one after another, in the order in which they
 * came to this process. The store would refuse all but one anyway, each after some work.
 */
export function createTurns(clock: Clock) {
  const lines = new Map<string, Promise<void>>();

  /** Waits for a turn, at most until then; who waited in vain goes on without one. */
  return async (lane: string, until: number): Promise<Leave> => {
    const before = lines.get(lane);
    let leave: Leave = () => {};
    const mine = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const line = (before ?? Promise.resolve())
      .then(() => mine)
      .then(() => {
        if (lines.get(lane) === line) lines.delete(lane);
      });
    lines.set(lane, line);
    if (before !== undefined) await Promise.race([before, clock.sleep(until - clock.now())]);
    return leave;
  };
}
