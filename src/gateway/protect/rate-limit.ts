/** How much each owner may use in a minute. What is not used adds up to the use of one minute. */
export interface RateLimit {
  /** Takes points. If too few are left, takes none and returns after how long there are enough. */
  take(owner: string, points: number): { readonly retryAfterMs: number } | undefined;
}

const MINUTE_MS = 60_000;
const MAX_OWNERS = 10_000;
const OTHERS = 'others';

interface Account {
  readonly points: number;
  readonly at: number;
}

/**
 * Creates a limit; 0 for none. It forgets owners that have all their points. If it knows too many
 * others, new ones share an account: a flood of invented keys frees nobody from the limit.
 */
export function createRateLimit(perMinute: number, now: () => number): RateLimit {
  const accounts = new Map<string, Account>();

  /** The owner, or the one who stands for all that are too many. */
  function accountOf(owner: string, at: number): string {
    if (accounts.has(owner) || accounts.size < MAX_OWNERS) return owner;
    for (const [other, account] of accounts) {
      if (at - account.at >= MINUTE_MS) accounts.delete(other);
    }
    return accounts.size < MAX_OWNERS ? owner : OTHERS;
  }

  return {
    take: (sender, wanted) => {
      if (perMinute === 0 || wanted === 0) return undefined;
      const at = now();
      const owner = accountOf(sender, at);
      const known = accounts.get(owner) ?? { points: perMinute, at };
      const earned = ((at - known.at) * perMinute) / MINUTE_MS;
      const points = Math.min(perMinute, known.points + earned);
      // A request for more than a minute has is possible when nothing else was used.
      const needed = Math.min(wanted, perMinute);
      accounts.set(owner, { points: points < needed ? points : points - needed, at });
      return points < needed
        ? { retryAfterMs: Math.ceil(((needed - points) * MINUTE_MS) / perMinute) }
        : undefined;
    },
  };
}
