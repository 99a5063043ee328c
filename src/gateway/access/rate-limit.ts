import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { type Identity, ownerOf } from './identity.ts';
import { createRateAccounts, MINUTE_MS, type Taken } from './rate-accounts.ts';
import { openSharedLimiter } from './shared-limiter.ts';

/** Limits what each caller may use per minute. */
export interface RateLimit {
  /** 0 for no limit. */
  readonly perMinute: number;
  /** The refusal of a caller until its minute ends; undefined if it was not refused. */
  refusal(identity: Identity): Taken | undefined;
  /** Takes points. If too few are left, the caller is refused until the minute ends. */
  take(identity: Identity, points: number): Taken | Promise<Taken>;
  close(): Promise<void>;
}

/** Options of a rate limit. */
export interface RateLimitOptions {
  /** 0 for no limit. */
  readonly perMinute: number;
  /** Whether the payments service has accepted an owner's key. */
  readonly isProven: (owner: string) => boolean;
  /** Database of the gateways that count together. Default: each counts alone. */
  readonly databaseUrl?: string | undefined;
  /** Called with messages for the operator. */
  readonly report: (message: string) => void;
}

/** Share of a minute's points that a process takes from the database at a time. */
const SHARE = 0.005;
const MAX_PROVEN = 10_000;
/** Accounts for callers whose keys are not proven. Anyone can invent any number of keys. */
const SLOTS = 16_384;
const MAX_REMEMBERED = 10_000;

/**
 * Creates a limit. Each caller with a key that the payments service has accepted, or with a valid
 * token, has its own account. All others share a fixed number of accounts in the process's memory,
 * so nothing they send takes more memory, reaches the database, or evicts the account of a known
 * caller.
 */
export function createRateLimit(options: RateLimitOptions): RateLimit {
  const { perMinute, isProven, databaseUrl, report } = options;
  if (perMinute === 0) return UNLIMITED;
  const shared =
    databaseUrl === undefined ? undefined : openSharedLimiter(databaseUrl, perMinute, report);
  const memory = shared?.insurance ?? createMemory(perMinute);
  const proven = createRateAccounts({
    limiter: shared?.limiter ?? memory,
    memory,
    share: shared === undefined ? 0 : Math.floor(perMinute * SHARE),
    maxAccounts: MAX_PROVEN,
  });
  const slots = createMemory(perMinute);
  const others = createRateAccounts({
    limiter: slots,
    memory: slots,
    share: 0,
    maxAccounts: SLOTS + 1,
  });
  /** Points that owners used before their keys were proven. */
  const before = new LRUCache<string, number>({ max: MAX_REMEMBERED, ttl: MINUTE_MS });

  const isKnown = ({ hasClaims, credential }: Identity) =>
    credential !== undefined && (hasClaims || isProven(credential.digest));

  async function takeOfSlot(owner: string, points: number): Promise<Taken> {
    const taken = await others.take(slotOf(owner), points);
    if (taken.isGranted && owner !== '') before.set(owner, (before.get(owner) ?? 0) + points);
    return taken;
  }

  return {
    perMinute,
    refusal: (identity) =>
      isKnown(identity)
        ? proven.refusal(ownerOf(identity))
        : others.refusal(slotOf(ownerOf(identity))),
    take: (identity, wanted) => {
      const owner = ownerOf(identity);
      // A request that needs more than a minute's points is allowed if nothing else was used.
      const points = Math.min(wanted, perMinute);
      if (!isKnown(identity)) return takeOfSlot(owner, points);
      const used = before.get(owner) ?? 0;
      if (used > 0) before.delete(owner);
      return proven.take(owner, points + used);
    },
    close: async () => shared?.close(),
  };
}

function createMemory(perMinute: number): RateLimiterMemory {
  return new RateLimiterMemory({ points: perMinute, duration: MINUTE_MS / 1_000 });
}

/** The account of an unknown caller. The digest is salted, so callers cannot choose it. */
function slotOf(owner: string): string {
  return owner === '' ? '' : String(Buffer.from(owner, 'base64').readUInt16BE() % SLOTS);
}

const UNLIMITED: RateLimit = {
  perMinute: 0,
  refusal: () => undefined,
  take: () => ({ isGranted: true, left: 0, resetMs: 0 }),
  close: async () => {},
};

/**
 * Creates a limit per minute for all callers together; 0 for none. Resolves with how long to wait
 * if the limit is reached.
 */
export function createCommonLimit(
  perMinute: number,
): () => Promise<{ readonly retryAfterMs: number } | undefined> {
  if (perMinute === 0) return async () => undefined;
  const limiter = createMemory(perMinute);
  return () =>
    limiter.consume('').then(
      () => undefined,
      ({ msBeforeNext }) => ({ retryAfterMs: msBeforeNext }),
    );
}

/**
 * The points left for a client, as headers of an IETF draft
 * (draft-ietf-httpapi-ratelimit-headers-10). The unit is a point of complexity.
 */
export function rateHeaders(
  { perMinute }: RateLimit,
  taken: Taken | undefined,
): Readonly<Record<string, string>> {
  if (perMinute === 0 || taken === undefined) return NONE;
  return {
    'ratelimit-policy': `"points";q=${perMinute};w=60`,
    ratelimit: `"points";r=${taken.left};t=${Math.ceil(taken.resetMs / 1_000)}`,
  };
}

const NONE = {};
