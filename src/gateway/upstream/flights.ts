/** Work that was begun and has not ended, which others may wait for instead of doing it again. */
export interface Flights<T> {
  /**
   * Finds work that the owner may join.
   *
   * @param deadline until when the caller waits, by `performance.now()`. Work that may take
   * longer is not joined
   */
  find(owner: string, key: string, deadline: number): Promise<T> | undefined;
  /**
   * Lets others join work that has just begun.
   *
   * @param until when the work ends at the latest, by `performance.now()`
   */
  begin(owner: string, key: string, until: number, work: Promise<T>): Promise<T>;
  /** A caller that comes from now on joins nothing of the owner that began before. */
  forget(owner: string): void;
  /** The same for all owners. */
  forgetAll(): void;
  /** How many owners have work in flight. */
  readonly size: number;
}

/** Nobody joins work that began earlier, so no caller waits much longer than its first one. */
export const MAX_AGE_MS = 1_000;

interface Flight<T> {
  /**
   * Undefined after its end. Former tables of a `Map` keep their entries for a while, so a result
   * is taken out of its entry, and not only out of the `Map`.
   */
  work: Promise<T> | undefined;
  readonly begun: number;
  readonly until: number;
}

/**
 * Creates an empty set of flights. It holds only what is in flight, so nothing is cached.
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
