import { LRUCache } from 'lru-cache';
import {
  type RateLimiterAbstract,
  type RateLimiterMemory,
  RateLimiterRes,
} from 'rate-limiter-flexible';

/** The result of taking points. */
export interface Taken {
  readonly isGranted: boolean;
  /** Points left until the minute ends. */
  readonly left: number;
  /** Milliseconds until the caller has all points again. */
  readonly resetMs: number;
}

/** Options of rate accounts. */
export interface RateAccountsOptions {
  /** Counts the points. */
  readonly limiter: RateLimiterAbstract;
  /** Where points are counted in this process: the limiter itself, or its insurance. */
  readonly memory: RateLimiterMemory;
  /** Points taken from the limiter at a time, so that few requests wait for it. */
  readonly share: number;
  readonly maxAccounts: number;
}

/** The points that callers use per minute. */
export interface RateAccounts {
  /** The refusal of a caller until its minute ends; undefined if it was not refused. */
  refusal(key: string): Taken | undefined;
  take(key: string, points: number): Taken | Promise<Taken>;
}

export const MINUTE_MS = 60_000;
/**
 * Gateways on one database measure the minute with their own clocks, which may differ by a minute.
 */
const MAX_WAIT_MS = 2 * MINUTE_MS;

interface Account {
  /** Points taken from the limiter and not yet used. */
  points: number;
  /** Points left in the limiter. */
  left: number;
  /** When the minute ends. */
  end: number;
  /** Whether a request was refused: all others are then refused until the minute ends. */
  isRefused: boolean;
  /** The latest take from the limiter. Takes are sequential. */
  last: Promise<unknown>;
}

/** Keeps points in memory, and takes more from the limiter only when needed. */
export function createRateAccounts(options: RateAccountsOptions): RateAccounts {
  const { limiter, memory, share, maxAccounts } = options;
  const { points: perMinute } = limiter;
  const accounts = new LRUCache<string, Account>({
    max: maxAccounts,
    // Otherwise the library would keep the entry until its minute ends.
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
    // If fewer points were left, this process now has all of them.
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

/** Counts points, even more than the caller has left. */
async function count(
  limiter: RateLimiterAbstract,
  key: string,
  points: number,
): Promise<RateLimiterRes> {
  const counted = await consume(limiter, key, points);
  if (counted.msBeforeNext <= MAX_WAIT_MS) return counted;
  // A gateway with a wrong clock started this minute.
  await limiter.delete(key);
  return consume(limiter, key, points);
}

function consume(limiter: RateLimiterAbstract, key: string, points: number) {
  return limiter.consume(key, points).catch((refused: unknown) => {
    if (refused instanceof RateLimiterRes) return refused;
    throw refused;
  });
}
