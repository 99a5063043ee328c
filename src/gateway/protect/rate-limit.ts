/** How much each owner may use in a minute. What is not used adds up to the use of one minute. */
export interface RateLimit {
  /** Takes points. If too few are left, takes none and returns after how long there are enough. */
  take(owner: string, points: number): { readonly retryAfterMs: number } | undefined;
}

const MINUTE_MS = 60_000;
const MAX_OWNERS = 10_000;

interface Account {
  readonly points: number;
  readonly at: number;
}

/**
 * Creates a limit; 0 for none. It knows the owners that used it last. Whoever has been
 * forgotten has all points again.
 */
export function createRateLimit(perMinute: number, now: () => number): RateLimit {
  const accounts = new Map<string, Account>();

  function save(owner: string, account: Account): void {
    accounts.delete(owner);
    accounts.set(owner, account);
    const [oldest] = accounts.keys();
    if (accounts.size > MAX_OWNERS && oldest !== undefined) accounts.delete(oldest);
  }

  return {
    take: (owner, wanted) => {
      if (perMinute === 0) return undefined;
      const at = now();
      const known = accounts.get(owner) ?? { points: perMinute, at };
      const earned = ((at - known.at) * perMinute) / MINUTE_MS;
      const points = Math.min(perMinute, known.points + earned);
      // A request for more than a minute has is possible when nothing else was used.
      const needed = Math.min(wanted, perMinute);
      save(owner, { points: points < needed ? points : points - needed, at });
      return points < needed
        ? { retryAfterMs: Math.ceil(((needed - points) * MINUTE_MS) / perMinute) }
        : undefined;
    },
  };
}
