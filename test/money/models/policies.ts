import type { Exhaustion } from './model-service.ts';

/**
 * How a gateway may perform one capture.
 *
 * - P0: it stores nothing and sends a POST for every request.
 * - P1: it stores outcomes only.
 * - P2: it stores that it sends, and sends again without a read.
 * - P3: it reads first, and sends again if the read shows nothing.
 * - P4: it reads first, and never sends again.
 * - P5: like P4, but it presumes NOT_APPLIED after the longest processing time.
 * - P6: it reads first, and sends again under the conservation guard.
 * - P7: like P6, but it believes no response that a read has not confirmed, and knows what a
 *   used-up transaction proves. This is our policy.
 */
export const policies = ['P0', 'P1', 'P2', 'P3', 'P4', 'P5', 'P6', 'P7'] as const;

/** A policy; see {@link policies}. */
export type Policy = (typeof policies)[number];

/** The rules of P7, each of which a model can do without. */
export interface Rules {
  /** A 4xx is believed when a read shows nothing new (A1). */
  readonly confirmsDenials: boolean;
  /** After a conflict the read has to be some seconds later (A1). */
  readonly waitsAfterConflict: boolean;
  /** A request that was not processed is compared with the snapshot before the first POST (A1). */
  readonly keepsFirstSnapshot: boolean;
  /** The end of a lease clears the response to an earlier POST (A1). */
  readonly clearsResponse: boolean;
  /** A 2xx without the new entry is believed when a read shows the entry (A2). */
  readonly confirmsSuccess: boolean;
  /** What a used-up transaction proves (A4). */
  readonly exhaustion: Exhaustion;
  /** The second POST is given back only if it certainly was not applied (A6). */
  readonly givesBackCertain: boolean;
  /** Times are counted by the store's clock, which no wall clock moves forward (A7). */
  readonly hasStoreClock: boolean;
}

/** The rules of P7. */
export const allRules: Rules = {
  confirmsDenials: true,
  waitsAfterConflict: true,
  keepsFirstSnapshot: true,
  clearsResponse: true,
  confirmsSuccess: true,
  exhaustion: 'RIGHT',
  givesBackCertain: true,
  hasStoreClock: true,
};

/** The rules of a policy: those before P7 believe every response. */
export function rulesOf(policy: Policy): Rules {
  if (policy === 'P7') return allRules;
  return { ...allRules, confirmsDenials: false, confirmsSuccess: false, exhaustion: 'NONE' };
}

/** Policies that record that they send, before they send. */
export const storesIntent = (policy: Policy): boolean => policy !== 'P0' && policy !== 'P1';

/** Policies that read before they do anything about an unknown outcome. */
export const readsFirst = (policy: Policy): boolean => storesIntent(policy) && policy !== 'P2';
