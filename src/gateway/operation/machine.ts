import { twoCannotBothApply } from './guard.ts';
import type { Creation, Evidence, Movement, OperationIn } from './operation.ts';
import type { NotSentReason, Rejection } from './rejection.ts';
import type { SnapshotEntry } from './snapshot.ts';

/** The result of one POST. */
export type PostResult =
  /** A complete 2xx. For CREATE it carries the id of the new transaction. */
  | { readonly kind: 'APPLIED'; readonly transactionId?: string }
  | { readonly kind: 'REJECTED'; readonly rejection: Rejection; readonly transactionId?: string }
  /** Nothing left this machine, or the service did not process it (401, 403, 429). */
  | { readonly kind: 'NOT_SENT'; readonly reason: NotSentReason }
  /** The POST may have left, and no valid response was read. */
  | { readonly kind: 'AMBIGUOUS' };

/** What to record next. */
export type Change =
  | {
      readonly to: 'SUCCEEDED';
      readonly evidence: Evidence;
      readonly entryRef?: string;
      readonly transactionId?: string;
    }
  | {
      readonly to: 'REJECTED';
      readonly evidence: Evidence;
      readonly rejection: Rejection;
      readonly transactionId?: string;
    }
  | { readonly to: 'UNKNOWN'; readonly needsOperator?: true }
  | { readonly to: 'NOT_APPLIED'; readonly evidence: Evidence }
  /** The second POST, under the guard. */
  | { readonly to: 'SENDING' }
  /** Certainly never sent: the row is removed and the key is free again. */
  | { readonly to: 'REMOVED' };

/** A change that follows from a POST; it never leads to another POST. */
export type PostChange = Exclude<Change, { readonly to: 'SENDING' | 'NOT_APPLIED' }>;

/** The change that follows from the result of the first or the second POST. */
export function afterPost(posts: 1 | 2, result: PostResult): PostChange {
  if (result.kind === 'APPLIED') {
    const { transactionId } = result;
    return {
      to: 'SUCCEEDED',
      evidence: 'ANSWERED',
      ...(transactionId === undefined ? {} : { transactionId }),
    };
  }
  // A rejection of the second POST may only mean that the first one was applied.
  if (posts > 1 || result.kind === 'AMBIGUOUS') return { to: 'UNKNOWN' };
  if (result.kind === 'NOT_SENT') return { to: 'REMOVED' };
  const { rejection, transactionId } = result;
  return {
    to: 'REJECTED',
    evidence: 'ANSWERED',
    rejection,
    ...(transactionId === undefined ? {} : { transactionId }),
  };
}

/** What a read of the service shows of an operation whose outcome is unknown. */
export type Effect =
  | { readonly kind: 'ABSENT' }
  /** Trail entries that the operation may have added. */
  | { readonly kind: 'ENTRIES'; readonly entries: readonly SnapshotEntry[] }
  | { readonly kind: 'CREATED'; readonly transactionId: string }
  | { readonly kind: 'DECLINED'; readonly transactionId: string; readonly rejection: Rejection };

/** What the change after a read depends on, of an operation whose outcome is unknown. */
export type Unresolved =
  | Pick<Movement & OperationIn<'UNKNOWN'>, 'kind' | 'amount' | 'posts' | 'snapshot'>
  | Pick<Creation & OperationIn<'UNKNOWN'>, 'kind' | 'amount' | 'posts' | 'snapshot'>;

/** What else the change after a read depends on. */
export interface Circumstances {
  /** A caller repeats the key. A second POST is sent for a caller only, never by maintenance. */
  readonly repeated: boolean;
  /** Setting `MONEY_GUARDED_REPOST`. */
  readonly guardedRepost: boolean;
  /** The read began after the longest time that the service may take to apply a POST. */
  readonly tooLate: boolean;
}

/** The change that follows from a read of the service while the outcome is unknown. */
export function afterRead(
  operation: Unresolved,
  effect: Effect,
  { repeated, guardedRepost, tooLate }: Circumstances,
): Change {
  if (effect.kind === 'CREATED') {
    return { to: 'SUCCEEDED', evidence: 'READ_BACK', transactionId: effect.transactionId };
  }
  if (effect.kind === 'DECLINED') {
    const { rejection, transactionId } = effect;
    return { to: 'REJECTED', evidence: 'READ_BACK', rejection, transactionId };
  }
  if (effect.kind === 'ENTRIES') {
    const [entry, another] = effect.entries;
    if (another !== undefined) return { to: 'UNKNOWN', needsOperator: true };
    if (entry !== undefined) {
      return { to: 'SUCCEEDED', evidence: 'READ_BACK', entryRef: entry.ref };
    }
  }
  if (repeated && guardedRepost && mayRepost(operation)) return { to: 'SENDING' };
  return tooLate ? { to: 'NOT_APPLIED', evidence: 'PRESUMED' } : { to: 'UNKNOWN' };
}

/** A transaction is never created by a second POST: nothing limits how many there can be. */
function mayRepost(operation: Unresolved): boolean {
  if (operation.kind === 'CREATE' || operation.posts > 1) return false;
  return twoCannotBothApply(operation.kind, operation.amount, operation.snapshot);
}

/**
 * Whether a change may be recorded by a process that no longer owns the operation. A complete
 * 2xx is proof, whichever process read it; a rejection could be the response to an older POST.
 */
export function isProof(change: Change): boolean {
  return change.to === 'SUCCEEDED' && change.evidence === 'ANSWERED';
}
