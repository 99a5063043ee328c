import { LRUCache } from 'lru-cache';
import {
  type RateLimiterAbstract,
  type RateLimiterMemory,
  RateLimiterRes,
} from 'rate-limiter-flexible';

/** How taking points ended. */
export interface Taken {
  readonly isGranted: boolean;
  /** Points that the caller can still use before the minute ends. */
  readonly left: number;
  /** After how many milliseconds the caller has all points again. */
  readonly resetMs: number;
}

/** What accounts are kept with. */
export interface RateAccountsOptions {
  /** Counts the points. */
  readonly limiter: RateLimiterAbstract;
  /** What the limiter counts in this process: itself, or its insurance. */
  readonly memory: RateLimiterMemory;
  /** Points that are taken from the limiter at once, so that few requests wait for it. */
  readonly share: number;
  readonly maxAccounts: number;
}

/** What callers have used in a minute. */
export interface RateAccounts {
  /** What a caller gets who was refused and whose minute has not ended. */
  refusal(key: string): Taken | undefined;
  take(key: string, points: number): Taken | Promise<Taken>;
}

export const MINUTE_MS = 60_000;
/** Gateways on one database measure the minute with their own clocks, which may differ by one. */
const MAX_WAIT_MS = 2 * MINUTE_MS;

interface Account {
  /** Taken from the limiter, and not yet used. */
  points: number;
  /** What the limiter has left. */
  left: number;
  /** When the minute ends. */
  end: number;
  /** Whether a request was refused, so that all others are refused until the minute ends. */
  isRefused: boolean;
  /** The latest of the takes from the limiter, which follow each other. */
  last: Promise<unknown>;
}

/** Keeps in memory what the limiter has answered, and asks it only for more. */
export function createRateAccounts(options: RateAccountsOptions): RateAccounts {
  const { limiter, memory, share, maxAccounts } = options;
  const { points: perMinute } = limiter;
  const accounts = new LRUCache<string, Account>({
    max: maxAccounts,
    // The library would keep it until its minute ends.
    dispose: (_account, key) => void memory.delete(key),
  });

  function accountOf(key: string): Account {
    const known = accounts.get(key);
    if (known !== undefined) {
      if (known.end <= performance.now()) {
        known.points = 0;
        known.left = perMinute;
        known.isRefused = false;
      }
      return known;
    }
    const last = Promise.resolve();
    const account = { points: 0, left: perMinute, end: 0, isRefused: false, last };
    accounts.set(key, account);
    return account;
  }

  function use(account: Account, points: number): Taken {
    if (account.points < points) account.isRefused = true;
    if (account.isRefused) return refuse(account);
    account.points -= points;
    return {
      isGranted: true,
      left: account.points + account.left,
      resetMs: Math.max(0, account.end - performance.now()),
    };
  }

  async function takeMore(key: string, points: number): Promise<Taken> {
    const account = accountOf(key);
    if (account.isRefused || account.points >= points) return use(account, points);
    const asked = Math.max(points - account.points, share);
    const { consumedPoints, msBeforeNext } = await count(limiter, key, asked);
    // If there were fewer than asked, all of them belong to this process now.
    account.points += Math.max(0, Math.min(asked, perMinute - (consumedPoints - asked)));
    account.left = Math.max(0, perMinute - consumedPoints);
    account.end = performance.now() + Math.min(msBeforeNext, MINUTE_MS);
    return use(account, points);
  }

  return {
    refusal: (key) => {
      const account = accounts.get(key);
      return account?.isRefused && account.end > performance.now() ? refuse(account) : undefined;
    },
    take: (key, points) => {
      const account = accountOf(key);
      if (account.isRefused || account.points >= points) return use(account, points);
      const more = () => takeMore(key, points);
      const next = account.last.then(more, more);
      account.last = next;
      return next;
    },
  };
}

function refuse({ end }: Account): Taken {
  return { isGranted: false, left: 0, resetMs: Math.max(1, Math.ceil(end - performance.now())) };
}

/** Counts points, also those that are more than the caller has. */
async function count(
  limiter: RateLimiterAbstract,
  key: string,
  points: number,
): Promise<RateLimiterRes> {
  const counted = await consume(limiter, key, points);
  if (counted.msBeforeNext <= MAX_WAIT_MS) return counted;
  // A clock that was wrong has begun this minute.
  await limiter.delete(key);
  return consume(limiter, key, points);
}

function consume(limiter: RateLimiterAbstract, key: string, points: number) {
  return limiter.consume(key, points).catch((refused: unknown) => {
    if (refused instanceof RateLimiterRes) return refused;
    throw refused;
  });
}
