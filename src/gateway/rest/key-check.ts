import { LRUCache } from 'lru-cache';
import { RestError } from './rest-error.ts';

/** Knows which app keys a service accepts, by what identifies them in this process. */
export interface KeyCheck {
  /**
   * Makes a call with a key. If the service has just rejected the key, throws `rejection`
   * instead. The first call with a key that is not known is made alone, so that many calls at
   * the same time with a key that is not valid cost one.
   */
  call<T>(owner: string, rejection: () => Error, make: () => Promise<T>): Promise<T>;
}

const REJECTED_TTL_MS = 5_000;
const ACCEPTED_TTL_MS = 60_000;
const MAX_KEYS = 10_000;
/** A service rejects a key quickly. */
const PATIENCE_MS = 250;

/**
 * Creates the check of one service.
 *
 * @param patienceMs how long other calls wait for a first one
 */
export function createKeyCheck(patienceMs = PATIENCE_MS): KeyCheck {
  const known = new LRUCache<string, 'ACCEPTED' | 'REJECTED'>({ max: MAX_KEYS });
  /** First calls that are being made. They do not reject. */
  const first = new Map<string, Promise<unknown>>();

  const accept = (owner: string) => known.set(owner, 'ACCEPTED', { ttl: ACCEPTED_TTL_MS });
  const reject = (owner: string) => known.set(owner, 'REJECTED', { ttl: REJECTED_TTL_MS });

  async function note<T>(owner: string, made: Promise<T>): Promise<T> {
    try {
      const result = await made;
      accept(owner);
      return result;
    } catch (error) {
      const status = error instanceof RestError ? error.status : undefined;
      if (status === 401) reject(owner);
      else if (status !== undefined) accept(owner);
      throw error;
    }
  }

  return {
    call: async (owner, rejection, make) => {
      const pending = known.has(owner) ? undefined : first.get(owner);
      if (pending !== undefined) await atMost(patienceMs, pending);
      if (known.get(owner) === 'REJECTED') throw rejection();
      const made = note(owner, make());
      if (!known.has(owner) && !first.has(owner)) {
        const settled = made.then(
          () => first.delete(owner),
          () => first.delete(owner),
        );
        first.set(owner, settled);
      }
      return made;
    },
  };
}

async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
