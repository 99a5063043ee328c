import type { Taken } from './rate-accounts.ts';
import type { RateLimit } from './rate-limit.ts';

/**
 * What a client may still use, as headers of the IETF's draft
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
