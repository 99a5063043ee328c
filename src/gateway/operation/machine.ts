import { twoCannotBothApply } from './guard.ts';
import type { Evidence, Operation, PreImage, Refusal, TrailMark } from './operation.ts';

/** What became of a POST. */
export type PostResult =
  /** A complete 2xx. For CREATE with the id of the new transaction, or it would be AMBIGUOUS. */
  | { readonly kind: 'APPLIED'; readonly transactionId?: string }
  /** The service said that it did nothing, and why. */
  | { readonly kind: 'REFUSED'; readonly refusal: Refusal; readonly transactionId?: string }
  /** Nothing left this machine, or the service took no notice (401, 403, 429). */
  | { readonly kind: 'NOT_SENT'; readonly refusal: Refusal }
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
      readonly refusal: Refusal;
      readonly transactionId?: string;
    }
  | { readonly to: 'UNKNOWN'; readonly needsOperator?: true }
  | { readonly to: 'NOT_APPLIED'; readonly evidence: Evidence }
  /** A second POST, under the guard. */
  | { readonly to: 'SENDING' }
  /** Certainly never sent: the key is free again. */
  | { readonly to: 'REMOVED' };

/** What follows from the result of the first or the second POST. */
export function afterPost(posts: number, result: PostResult): Change {
  if (result.kind === 'APPLIED') {
    const { transactionId } = result;
    return {
      to: 'SUCCEEDED',
      evidence: 'ANSWERED',
      ...(transactionId === undefined ? {} : { transactionId }),
    };
  }
  // After a second POST a refusal may only mean that the first one applied.
  if (posts > 1 || result.kind === 'AMBIGUOUS') return { to: 'UNKNOWN' };
  if (result.kind === 'NOT_SENT') return { to: 'REMOVED' };
  const { refusal, transactionId } = result;
  return {
    to: 'REJECTED',
    evidence: 'ANSWERED',
    refusal,
    ...(transactionId === undefined ? {} : { transactionId }),
  };
}

/**
 * Entries that may be the operation's: of its kind and amount, and not there before. None
 * while there are no more of them than before: an old one may have got another name.
 */
export function candidates(
  { kind, amount }: Pick<Operation, 'kind' | 'amount'>,
  before: PreImage,
  trail: readonly TrailMark[],
): TrailMark[] {
  const alike = (entry: TrailMark) => entry.kind === kind && entry.amount === amount;
  const now = trail.filter(alike);
  if (now.length <= before.trail.filter(alike).length) return [];
  const known = new Set(before.trail.map(({ ref }) => ref));
  return now.filter(({ ref }) => !known.has(ref));
}

/** What a look at the service showed of an operation whose outcome is unknown. */
export type Finding =
  | { readonly kind: 'ABSENT' }
  | { readonly kind: 'ENTRIES'; readonly entries: readonly TrailMark[] }
  | { readonly kind: 'CREATED'; readonly transactionId: string }
  | { readonly kind: 'DECLINED'; readonly transactionId: string; readonly refusal: Refusal };

/** What else decides after a look. */
export interface Circumstances {
  /** A caller repeats the key: a second POST may be sent for them, never by the sweep. */
  readonly repeated: boolean;
  /** `MONEY_GUARDED_REPOST`. */
  readonly guardedRepost: boolean;
  /** The look began later than the service may take to apply what it was sent. */
  readonly tooLate: boolean;
}

/** What follows from a look at the service while the outcome is unknown. */
export function afterReadBack(
  operation: Pick<Operation, 'kind' | 'amount' | 'posts' | 'preImage'>,
  finding: Finding,
  { repeated, guardedRepost, tooLate }: Circumstances,
): Change {
  if (finding.kind === 'CREATED') {
    const { transactionId } = finding;
    return { to: 'SUCCEEDED', evidence: 'READ_BACK', transactionId };
  }
  if (finding.kind === 'DECLINED') {
    const { refusal, transactionId } = finding;
    return { to: 'REJECTED', evidence: 'READ_BACK', refusal, transactionId };
  }
  if (finding.kind === 'ENTRIES') {
    const [entry, another] = finding.entries;
    if (another !== undefined) return { to: 'UNKNOWN', needsOperator: true };
    if (entry !== undefined) {
      return { to: 'SUCCEEDED', evidence: 'READ_BACK', entryRef: entry.ref };
    }
  }
  const { kind, amount, posts, preImage } = operation;
  const safe = preImage !== null && twoCannotBothApply(kind, amount, preImage);
  if (repeated && guardedRepost && posts === 1 && safe) return { to: 'SENDING' };
  return tooLate ? { to: 'NOT_APPLIED', evidence: 'PRESUMED' } : { to: 'UNKNOWN' };
}

/**
 * Whether a change may be recorded by somebody who does not own the operation any more. A
 * complete 2xx is proof, whoever read it; a refusal could be the answer to an older POST.
 */
export function isProof(change: Change): boolean {
  return change.to === 'SUCCEEDED' && change.evidence === 'ANSWERED';
}
