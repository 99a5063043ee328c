import { THIS_REQUEST } from './access.ts';
import type { Attempt } from './attempt.ts';
import { isRecent } from './claims.ts';
import type { NotSentReason, Snapshot } from './operation.ts';
import { isMovement, type OperationIn } from './operation.ts';
import type { Parts } from './parts.ts';

/** Pauses in milliseconds before the snapshots that are taken until one is recent enough. */
const SNAPSHOTS_MS = [0, 200, 800, 2_000];

/** The service could not be read. */
export const UNREADABLE: NotSentReason = {
  code: 'NOT_SENT',
  message: `The payments service could not be read in time, so ${THIS_REQUEST}`,
};
/** The service does not show an entry that is known to exist. */
const OUTDATED: NotSentReason = {
  code: 'NOT_SENT',
  message: `The payments service does not show an earlier movement of this transaction yet, so ${THIS_REQUEST}`,
};

/** What must be known before a POST, or why there is none. */
export type Taken<Invalid> =
  | { readonly snapshot: Snapshot }
  | { readonly invalid: Invalid }
  | { readonly reason: NotSentReason };

/**
 * Takes the snapshot before a POST, or says why nothing is sent: the request is not valid any
 * more, or the service cannot be read, or it does not show an entry that is known to exist.
 */
export async function takeSnapshot<Invalid>(
  { store, clock, report }: Parts,
  operation: OperationIn<'PREPARED' | 'UNKNOWN'>,
  attempt: Attempt<Invalid>,
  deadline: number,
): Promise<Taken<Invalid>> {
  let isRead = false;
  for (const wait of SNAPSHOTS_MS) {
    if (clock.now() + wait > deadline) break;
    await clock.sleep(wait);
    const taken = await attempt.takeSnapshot().catch(() => undefined);
    if (taken === undefined) return { reason: UNREADABLE };
    isRead = true;
    if ('invalid' in taken || !isMovement(operation) || !('trail' in taken.snapshot)) return taken;
    if (await isRecent(store, operation, taken.snapshot)) return taken;
  }
  if (!isRead) return { reason: UNREADABLE };
  report(
    `money operation ${operation.id} is not sent now: the transaction does not show an entry that is known to exist`,
  );
  return { reason: OUTDATED };
}
