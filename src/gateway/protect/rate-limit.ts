/** How taking points ended, and what is left. */
export interface Taken {
  readonly isGranted: boolean;
  /** Points that the owner may still use now. */
  readonly left: number;
  /** After how many milliseconds the same would be granted; 0 if it was. */
  readonly retryAfterMs: number;
}

/** How much each owner may use in a minute. What is not used adds up to the use of one minute. */
export interface RateLimit {
  /** 0 for no limit. */
  readonly perMinute: number;
  /** Takes points; none if too few are left. */
  take(owner: string, points: number): Taken | Promise<Taken>;
}

/** A limit that only this process counts. */
export interface LocalRateLimit extends RateLimit {
  take(owner: string, points: number): Taken;
}

export const MINUTE_MS = 60_000;
const MAX_OWNERS = 10_000;
const OTHERS = 'others';

interface Account {
  readonly points: number;
  readonly at: number;
}

/** After how long an account that has some points has as many as are needed, in milliseconds. */
export function waitFor(needed: number, points: number, perMinute: number): number {
  return Math.max(1, Math.ceil(((needed - points) * MINUTE_MS) / perMinute));
}

/**
 * Creates a limit; 0 for none. It forgets owners that have all their points. If it knows too many
 * others, new ones share an account: a flood of invented keys frees nobody from the limit.
 */
export function createRateLimit(perMinute: number, now: () => number): LocalRateLimit {
  const accounts = new Map<string, Account>();

  function pointsAt({ points, at }: Account, now: number): number {
    return Math.min(perMinute, points + ((now - at) * perMinute) / MINUTE_MS);
  }

  /** The owner, or the one who stands for all that are too many. */
  function accountOf(owner: string, at: number): string {
    if (accounts.has(owner) || accounts.size < MAX_OWNERS) return owner;
    for (const [other, account] of accounts) {
      if (pointsAt(account, at) >= perMinute) accounts.delete(other);
    }
    return accounts.size < MAX_OWNERS ? owner : OTHERS;
  }

  return {
    perMinute,
    take: (sender, wanted) => {
      if (perMinute === 0) return UNLIMITED;
      // What costs nothing makes no account.
      if (wanted === 0 && !accounts.has(sender)) return { ...UNLIMITED, left: perMinute };
      const at = now();
      const owner = accountOf(sender, at);
      const known = accounts.get(owner) ?? { points: perMinute, at };
      const points = pointsAt(known, at);
      // A request for more than a minute has is possible when nothing else was used.
      const needed = Math.min(wanted, perMinute);
      const isGranted = points >= needed;
      const left = isGranted ? points - needed : points;
      accounts.set(owner, { points: left, at });
      return { isGranted, left, retryAfterMs: isGranted ? 0 : waitFor(needed, points, perMinute) };
    },
  };
}

const UNLIMITED: Taken = { isGranted: true, left: 0, retryAfterMs: 0 };
