import type { StartLimit } from '../../within.ts';

/** Gives a place back. Later calls have no effect. */
export type Leave = () => void;

/** A number of places that several owners share. */
export interface Shares {
  /** Whether the owner may have a place now. */
  hasPlace(owner: string): boolean;
  /** Takes a place if the owner may have one now. */
  take(owner: string): Leave | undefined;
  /**
   * Waits for a place. An owner's callers are served in order. Returns a function that ends the
   * wait.
   *
   * @param onPlace called once, unless the wait ends first
   */
  wait(owner: string, onPlace: (leave: Leave) => void): () => void;
  /**
   * Takes a place for an owner, or waits for one. Undefined if the time limit passes first. It
   * starts only if the caller has to wait.
   */
  enter(owner: string, startLimit: StartLimit): Promise<Leave | undefined>;
}

/** The places that an owner has. */
interface Holder {
  places: number;
}

/** A waiting caller; without a function if it no longer waits. */
interface Caller {
  onPlace: ((leave: Leave) => void) | undefined;
}

/**
 * Shares places fairly: an owner may take one only while more are free than it holds. So a single
 * owner holds at most half of them, the next one half of the rest, and so on: however many places
 * `n` owners hold, at least `size / 2 ** n`, rounded down, are free for others.
 */
export function createShares(size: number): Shares {
  let free = size;
  const holders = new Map<string, Holder>();
  /** The owner served longest ago comes first. May contain owners without waiting callers. */
  const waiting = new Map<string, Line>();

  function take(owner: string): Leave | undefined {
    const known = holders.get(owner);
    if ((known?.places ?? 0) >= free) return undefined;
    const holder = known ?? { places: 0 };
    if (known === undefined) holders.set(owner, holder);
    free--;
    holder.places++;
    let isHeld = true;
    return () => {
      if (isHeld) giveBack(owner, holder);
      isHeld = false;
    };
  }

  function giveBack(owner: string, holder: Holder): void {
    holder.places--;
    if (holder.places === 0) holders.delete(owner);
    free++;
    waiting.forEach(serve);
  }

  /**
   * Serves the first caller of an owner. Owners take turns: if there are several, a served one
   * moves to the end, where `forEach` visits it again.
   */
  function serve(line: Line, owner: string): void {
    const first = line.first();
    if (first === undefined) return void waiting.delete(owner);
    const leave = take(owner);
    if (leave === undefined) return;
    if (waiting.size > 1) {
      waiting.delete(owner);
      waiting.set(owner, line);
    }
    const { onPlace } = first;
    first.onPlace = undefined;
    onPlace?.(leave);
  }

  function wait(owner: string, onPlace: (leave: Leave) => void): () => void {
    const caller: Caller = { onPlace };
    let line = waiting.get(owner);
    if (line === undefined) {
      line = new Line();
      waiting.set(owner, line);
    }
    line.add(caller);
    return () => {
      caller.onPlace = undefined;
    };
  }

  return {
    hasPlace: (owner) => (holders.get(owner)?.places ?? 0) < free,
    take,
    wait,
    enter: async (owner, startLimit) =>
      take(owner) ??
      new Promise((resolve) => {
        const endWait = wait(owner, (leave) => {
          endLimit();
          resolve(leave);
        });
        const endLimit = startLimit(() => {
          endWait();
          resolve(undefined);
        });
      }),
  };
}

/** Served callers to keep before removing them together. */
const MAX_SERVED = 64;

/** The waiting callers of one owner. An array, because a `Set` with many changes costs more. */
class Line {
  readonly #callers: Caller[] = [];
  #next = 0;

  add(caller: Caller): void {
    this.#callers.push(caller);
  }

  /** The first caller that still waits. */
  first(): Caller | undefined {
    let caller = this.#callers[this.#next];
    while (caller !== undefined && caller.onPlace === undefined) {
      this.#next++;
      caller = this.#callers[this.#next];
    }
    if (this.#next > MAX_SERVED && this.#next * 2 > this.#callers.length) {
      this.#callers.splice(0, this.#next);
      this.#next = 0;
    }
    return caller;
  }
}
