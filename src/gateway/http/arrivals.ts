import type { HttpError } from './respond.ts';

/** Called with the error when the gateway stops waiting for the rest of a request. */
export type Reject = (error: HttpError) => void;

/** The requests that have not arrived completely. */
export interface Arrivals {
  /** Counts a request until the returned function is called, or the request is rejected. */
  add(reject: Reject): () => void;
}

/** A place in the order in which requests started to arrive. */
interface Place {
  before: Place | undefined;
  after: Place | undefined;
  readonly reject: Reject;
}

/**
 * Limits how many requests arrive at the same time. At the limit, a new request is still read, and
 * the one that has been arriving longest is rejected: most requests arrive in one part, so it is a
 * slow one. If the new one were rejected, clients that never send their bodies could block all
 * others.
 */
export function createArrivals(max: number, error: HttpError): Arrivals {
  let count = 0;
  let first: Place | undefined;
  let last: Place | undefined;

  function remove(place: Place): void {
    if (place.before === undefined && place !== first) return;
    if (place.before === undefined) first = place.after;
    else place.before.after = place.after;
    if (place.after === undefined) last = place.before;
    else place.after.before = place.before;
    // Otherwise an old object would keep a newer one in memory.
    place.before = undefined;
    place.after = undefined;
    count--;
  }

  return {
    add: (reject) => {
      if (count === max && first !== undefined) {
        const longest = first;
        remove(longest);
        longest.reject(error);
      }
      const place: Place = { before: last, after: undefined, reject };
      if (last === undefined) first = place;
      else last.after = place;
      last = place;
      count++;
      return () => remove(place);
    },
  };
}
