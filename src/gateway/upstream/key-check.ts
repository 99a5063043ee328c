import { LRUCache } from 'lru-cache';
import { within } from '../../within.ts';
import { RestError } from './rest-error.ts';

/** Remembers which app keys a service accepts, by their owners in this process. */
export interface KeyCheck {
  /**
   * Makes a call with a key. If the service has just rejected the key, throws `rejection` instead.
   * The first call with an unknown key is made alone, so that many concurrent calls with an invalid
   * key cost one.
   */
  call<T>(owner: string, rejection: () => Error, make: () => Promise<T>): Promise<T>;
  /** Whether the service accepted the key recently. */
  isAccepted(owner: string): boolean;
  /**
   * Whether a call with the key ever succeeded, and none was rejected since. Errors other than 401
   * prove nothing: a proxy can send them to anyone.
   */
  isProven(owner: string): boolean;
}

const REJECTED_TTL_MS = 5_000;
const ACCEPTED_TTL_MS = 60_000;
const MAX_KEYS = 10_000;
/** Services reject keys quickly. */
const PATIENCE_MS = 250;

/** What the last response showed about a key. */
interface Known {
  isAccepted: boolean;
  until: number;
}

/**
 * Creates the check of one service.
 *
 * @param patienceMs how long other calls wait for the first one
 */
export function createKeyCheck(patienceMs = PATIENCE_MS): KeyCheck {
  const keys = new LRUCache<string, Known>({ max: MAX_KEYS });
  /** Separate, so that invented keys cannot evict proven ones. */
  const proven = new LRUCache<string, true>({ max: MAX_KEYS });
  /** First calls in progress. They do not reject. */
  const first = new Map<string, Promise<unknown>>();

  function find(owner: string): Known | undefined {
    const known = keys.get(owner);
    return known === undefined || known.until < performance.now() ? undefined : known;
  }

  /** Notes what a response showed. */
  function learn(owner: string, isAccepted: boolean, known = keys.get(owner)): void {
    const until = performance.now() + (isAccepted ? ACCEPTED_TTL_MS : REJECTED_TTL_MS);
    if (known === undefined) {
      keys.set(owner, { isAccepted, until });
    } else {
      known.isAccepted = isAccepted;
      known.until = until;
    }
  }

  /** @param known what was known when the call was made */
  function note<T>(owner: string, made: Promise<T>, known?: Known): Promise<T> {
    return made.then(
      (result) => {
        learn(owner, true, known);
        if (proven.get(owner) === undefined) proven.set(owner, true);
        return result;
      },
      (error) => {
        const status = error instanceof RestError ? error.status : undefined;
        if (status !== undefined) learn(owner, status !== 401);
        if (status === 401) proven.delete(owner);
        throw error;
      },
    );
  }

  async function callUnknown<T>(
    owner: string,
    rejection: () => Error,
    make: () => Promise<T>,
  ): Promise<T> {
    const pending = first.get(owner);
    if (pending !== undefined) await within(pending, patienceMs, () => {});
    if (find(owner)?.isAccepted === false) throw rejection();
    const made = note(owner, make());
    if (find(owner) === undefined && !first.has(owner)) {
      const settled = made.then(
        () => first.delete(owner),
        () => first.delete(owner),
      );
      first.set(owner, settled);
    }
    return made;
  }

  return {
    isAccepted: (owner) => find(owner)?.isAccepted === true,
    isProven: (owner) => proven.has(owner),
    call: (owner, rejection, make) => {
      const known = find(owner);
      if (known === undefined) return callUnknown(owner, rejection, make);
      return known.isAccepted ? note(owner, make(), known) : Promise.reject(rejection());
    },
  };
}
