/** Work in progress that others may wait for instead of repeating it. */
export interface Flights<T> {
  /**
   * Finds work that the owner may join.
   *
   * @param deadline until when the caller waits, by `performance.now()`. Work that may take
   * longer is not joined
   */
  find(owner: string, key: string, deadline: number): Promise<T> | undefined;
  /**
   * Lets others join work that has just started.
   *
   * @param until the latest time the work ends, by `performance.now()`
   */
  begin(owner: string, key: string, until: number, work: Promise<T>): Promise<T>;
  /** Prevents later callers from joining the owner's earlier work. */
  forget(owner: string): void;
  /** The same for all owners. */
  forgetAll(): void;
  /** How many owners have work in flight. */
  readonly size: number;
}

/**
 * Maximum age of work that can be joined, so that no caller waits much longer than the first one.
 */
export const MAX_AGE_MS = 1_000;

interface Flight<T> {
  /**
   * Undefined after its end. Old tables of a `Map` keep their entries for a while, so the result is
   * removed from the entry as well as from the `Map`.
   */
  work: Promise<T> | undefined;
  readonly begun: number;
  readonly until: number;
}

/**
 * Creates an empty set of flights. Holds only what is in flight, so nothing is cached.
 *
 * @param maxAgeMs how long after its start work can be joined
 */
export function createFlights<T>(maxAgeMs = MAX_AGE_MS): Flights<T> {
  const byOwner = new Map<string, Map<string, Flight<T>>>();

  function end(owner: string, flights: Map<string, Flight<T>>, key: string, flight: Flight<T>) {
    flight.work = undefined;
    if (flights.get(key) !== flight) return;
    flights.delete(key);
    if (flights.size === 0 && byOwner.get(owner) === flights) byOwner.delete(owner);
  }

  return {
    find: (owner, key, deadline) => {
      const flight = byOwner.get(owner)?.get(key);
      if (flight === undefined || flight.until > deadline) return undefined;
      return performance.now() - flight.begun > maxAgeMs ? undefined : flight.work;
    },
    begin: (owner, key, until, work) => {
      let flights = byOwner.get(owner);
      if (flights === undefined) {
        flights = new Map();
        byOwner.set(owner, flights);
      }
      const own = flights;
      const flight: Flight<T> = { work, begun: performance.now(), until };
      own.set(key, flight);
      const ended = () => end(owner, own, key, flight);
      work.then(ended, ended);
      return work;
    },
    forget: (owner) => {
      byOwner.delete(owner);
    },
    forgetAll: () => byOwner.clear(),
    get size() {
      return byOwner.size;
    },
  };
}
