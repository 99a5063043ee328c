import type { Leave } from '../shares.ts';
import { THIS_REQUEST } from './access.ts';
import type { NotSentReason, Operation } from './operation.ts';
import type { Parts } from './parts.ts';

/**
 * How many POSTs of money operations a gateway sends at the same time. The merchants share
 * these places, so that one whose POSTs hang does not make the others wait.
 */
export const PLACES = 64;
/** With less time left than this, nothing is begun. */
export const LEAST_MS = 2_000;

/** Why nothing is sent if no place becomes free in time. */
export const NO_PLACE: NotSentReason = {
  code: 'NOT_SENT',
  message: `Too many other money operations of this merchant are being sent, so ${THIS_REQUEST}`,
};

/** Waits for a place while there is time for a POST. Undefined if none becomes free. */
export function waitForPlace(
  { clock, shares }: Parts,
  { merchantId }: Pick<Operation, 'merchantId'>,
  deadline: number,
): Promise<Leave | undefined> {
  return shares.enter(merchantId, (onPassed) =>
    clock.startLimit(deadline - LEAST_MS - clock.now(), onPassed),
  );
}
