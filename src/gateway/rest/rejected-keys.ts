/** App keys that the service has just rejected, by what identifies them in this process. */
export interface RejectedKeys {
  has(owner: string): boolean;
  add(owner: string): void;
}

const TTL_MS = 5_000;
const MAX_ENTRIES = 10_000;

/** Remembers rejected keys for five seconds, so that many calls with one of them cost one. */
export function createRejectedKeys(now: () => number): RejectedKeys {
  const until = new Map<string, number>();
  return {
    has: (owner) => {
      const end = until.get(owner);
      if (end === undefined) return false;
      if (now() < end) return true;
      until.delete(owner);
      return false;
    },
    add: (owner) => {
      until.set(owner, now() + TTL_MS);
      const [oldest] = until.keys();
      if (until.size > MAX_ENTRIES && oldest !== undefined) until.delete(oldest);
    },
  };
}
