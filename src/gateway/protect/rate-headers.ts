import { MINUTE_MS, type RateLimit, type Taken } from './rate-limit.ts';

/**
 * What a client may still use, as headers of the IETF's draft
 * (draft-ietf-httpapi-ratelimit-headers-10). The unit is a point of complexity.
 */
export function rateHeaders(
  { perMinute }: RateLimit,
  cost: { readonly taken: Taken } | undefined,
): Readonly<Record<string, string>> {
  if (perMinute === 0 || cost === undefined) return NONE;
  const left = Math.max(0, Math.floor(cost.taken.left));
  const fullAfter = Math.ceil((((perMinute - left) / perMinute) * MINUTE_MS) / 1_000);
  return {
    'ratelimit-policy': `"points";q=${perMinute};w=60`,
    ratelimit: `"points";r=${left};t=${fullAfter}`,
  };
}

const NONE = {};
