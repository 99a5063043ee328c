import { createRateLimit, type RateLimit, type Taken, waitFor } from './rate-limit.ts';

/** Where the accounts of all gateways are. */
export interface Accounts {
  take(
    owner: string,
    points: Readonly<Record<'needed' | 'wanted' | 'perMinute', number>>,
  ): Promise<{ readonly taken: number; readonly left: number }>;
  /** Deletes accounts that nobody uses. */
  forget(): Promise<void>;
}

/** Points that this process has taken of an account and not yet granted to a request. */
interface Purse {
  points: number;
  /** What the account had left. */
  left: number;
  /** The latest of the takes, which follow each other. */
  last: Promise<unknown>;
}

/** Share of a minute's points that a process takes at once, so that few requests wait. */
const SHARE = 0.005;
/** How long the process counts alone after the accounts could not be read. */
const ALONE_MS = 5_000;
/** How long a request waits for the accounts. */
const TAKE_WITHIN_MS = 500;
const FORGET_EVERY_MS = 600_000;
const MAX_PURSES = 10_000;

/**
 * Creates a limit that several gateways share. A process takes a half of a percent of the minute's
 * points at once and grants them itself, so a limit is exact to that for each process. While the
 * accounts cannot be read, each process counts alone.
 *
 * @param now in milliseconds
 */
export function createSharedRateLimit(
  perMinute: number,
  accounts: Accounts,
  now: () => number,
  report: (message: string) => void,
): RateLimit {
  const alone = createRateLimit(perMinute, now);
  const purses = new Map<string, Purse>();
  let aloneUntil = 0;
  let forgottenAt = now();

  function purseOf(owner: string): Purse {
    const known = purses.get(owner);
    if (known !== undefined) return known;
    // What is in a purse is little, so to forget it harms nobody.
    if (purses.size >= MAX_PURSES) purses.clear();
    const purse = { points: 0, left: perMinute, last: Promise.resolve() };
    purses.set(owner, purse);
    return purse;
  }

  function grant(purse: Purse, needed: number): Taken {
    purse.points -= needed;
    return { isGranted: true, left: purse.points + purse.left, retryAfterMs: 0 };
  }

  async function takeMore(owner: string, purse: Purse, wanted: number): Promise<Taken> {
    const needed = Math.min(wanted, perMinute);
    if (purse.points >= needed) return grant(purse, needed);
    if (now() < aloneUntil) return alone.take(owner, wanted);
    const missing = needed - purse.points;
    try {
      const more = { needed: missing, wanted: Math.max(missing, perMinute * SHARE), perMinute };
      const { taken, left } = await inTime(accounts.take(owner, more));
      purse.points += taken;
      purse.left = left;
    } catch {
      if (aloneUntil === 0) report('RATE_LIMIT_SHARED: each gateway counts alone for now');
      aloneUntil = now() + ALONE_MS;
      return alone.take(owner, wanted);
    }
    if (aloneUntil !== 0) aloneUntil = 0;
    if (purse.points >= needed) return grant(purse, needed);
    const left = purse.points + purse.left;
    return { isGranted: false, left, retryAfterMs: waitFor(needed, left, perMinute) };
  }

  /** Deletes the accounts that nobody uses, from time to time and in the background. */
  function forget(): void {
    if (now() - forgottenAt < FORGET_EVERY_MS) return;
    forgottenAt = now();
    accounts.forget().catch(() => {});
  }

  return {
    perMinute,
    take: (owner, wanted) => {
      const purse = purseOf(owner);
      const needed = Math.min(wanted, perMinute);
      if (purse.points >= needed) return grant(purse, needed);
      forget();
      const next = purse.last.then(() => takeMore(owner, purse, wanted));
      purse.last = next;
      return next;
    },
  };
}

/** Rejects if the accounts do not respond in time. What was taken then is lost. */
async function inTime<Taking>(work: Promise<Taking>): Promise<Taking> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('The accounts do not respond.')), TAKE_WITHIN_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
