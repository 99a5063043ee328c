import type { Change, Effect, PostChange, PostResult } from './change.ts';
import { canNeverApply, twoCannotBothApply } from './guard.ts';
import type {
  Creation,
  EntryIdentity,
  Evidence,
  Movement,
  Operation,
  OperationIn,
  SnapshotEntry,
} from './operation.ts';
import { addedEntries, newEntries, without } from './snapshot.ts';

/** The change that follows from the result of the first or the second POST. */
export function afterPost(posts: 1 | 2, result: PostResult): PostChange {
  switch (result.kind) {
    case 'APPLIED': {
      const { entries = [], transactionId } = result;
      return {
        ...toSucceeded('ANSWERED', entries),
        ...(transactionId === undefined ? {} : { transactionId }),
      };
    }
    case 'RESPONDED': {
      const { response } = result;
      // The second POST may have been rejected because the first one was applied.
      const isMoot = posts === 2 && response.kind === 'REJECTED';
      return { to: 'UNKNOWN', response: isMoot ? null : response };
    }
    case 'NOT_SENT':
      return posts === 2 ? { to: 'UNKNOWN', response: null, posts: 1 } : { to: 'REMOVED' };
    case 'AMBIGUOUS':
      return { to: 'UNKNOWN', response: null };
  }
}

type Facts = 'kind' | 'amount' | 'posts' | 'snapshot' | 'response';
type UnresolvedMovement = Pick<Movement & OperationIn<'UNKNOWN'>, Facts>;
type UnresolvedCreation = Pick<Creation & OperationIn<'UNKNOWN'>, Facts>;

/** What the change after a read depends on, for an operation whose outcome is unknown. */
export type Unresolved = UnresolvedMovement | UnresolvedCreation;

/** What else the change after a read depends on. */
export interface Circumstances {
  /** The entries that other operations have claimed. */
  readonly claimed: readonly EntryIdentity[];
  /** Entries for which it is not known which operation each belongs to. */
  readonly seen: readonly EntryIdentity[];
  /** A caller repeats the key. A POST is sent for a caller only, never by maintenance. */
  readonly repeated: boolean;
  /** Setting `MONEY_GUARDED_REPOST`. */
  readonly guardedRepost: boolean;
  /** The read began after the longest time that the service may take to apply a POST. */
  readonly tooLate: boolean;
  /** The read began long enough after a conflict to show what caused it. */
  readonly afterConflict: boolean;
}

const UNCHANGED = { to: 'UNKNOWN' } as const;

/** The change that follows from a read of the service while the outcome is unknown. */
export function afterRead(
  operation: Unresolved,
  effect: Effect,
  circumstances: Circumstances,
): Change {
  const { response } = operation;
  switch (effect.kind) {
    case 'TRAIL':
      return operation.kind === 'CREATE' ? UNCHANGED : afterTrail(operation, effect, circumstances);
    case 'CREATED':
      return { to: 'SUCCEEDED', evidence: 'READ_BACK', transactionId: effect.transactionId };
    case 'DECLINED': {
      const { rejection, transactionId } = effect;
      const evidence = response?.kind === 'REJECTED' ? 'ANSWERED' : 'READ_BACK';
      return { to: 'REJECTED', evidence, rejection, transactionId };
    }
    case 'NOT_FOUND': {
      const change = effect.complete ? withoutEffect(operation, circumstances) : UNCHANGED;
      return change.to === 'UNKNOWN' && effect.searchPlace !== null
        ? { ...change, searchPlace: effect.searchPlace }
        : change;
    }
  }
}

function afterTrail(
  operation: UnresolvedMovement,
  { now, tooLarge }: Effect & { readonly kind: 'TRAIL' },
  circumstances: Circumstances,
): Change {
  const { kind, amount, snapshot, response } = operation;
  const { claimed, seen } = circumstances;
  const unclaimed = without(newEntries(operation, snapshot, now.trail), claimed);
  const candidates = without(unclaimed, seen);
  const [entry, another] = candidates;
  if (entry !== undefined && response?.kind === 'ACCEPTED') {
    return toSucceeded('READ_BACK', candidates);
  }
  if (another !== undefined) return { to: 'UNKNOWN', needsOperator: true };
  if (entry !== undefined) {
    // If the service denied the request, somebody else may have added the entry. Where two
    // cannot both apply, it makes no difference who did.
    const isEnough = response === null || twoCannotBothApply(kind, amount, snapshot);
    return isEnough ? toSucceeded('READ_BACK', [entry]) : { to: 'UNKNOWN', needsOperator: true };
  }
  if (unclaimed.length > 0) return afterSeen(operation, circumstances);
  if (response?.kind === 'REJECTED' && tooLarge !== null) {
    const explained = { ...operation, response: { ...response, rejection: tooLarge } };
    return withoutEffect(explained, circumstances);
  }
  const added = without(addedEntries(operation, snapshot, now.trail), claimed);
  if (!isDenied(operation) && added.length === 0 && canNeverApply(kind, amount, now)) {
    return { to: 'NOT_APPLIED', evidence: 'PROVEN' };
  }
  return withoutEffect(operation, circumstances);
}

/**
 * The change if entries were seen that may be the operation's. No read shows to which operation
 * they belong, so only a second POST helps, or the operator.
 */
function afterSeen(operation: Unresolved, circumstances: Circumstances): Change {
  const mayBeSent = repostOf(operation, { ...circumstances, repeated: true }) !== undefined;
  if (!mayBeSent) return { to: 'UNKNOWN', needsOperator: true };
  return repostOf(operation, circumstances) ?? UNCHANGED;
}

/** Whether the service responded that it did not apply the operation. */
function isDenied({ response }: Unresolved): boolean {
  return response?.kind === 'REJECTED' || response?.kind === 'RELEASED';
}

/** The change if a complete read shows nothing that the operation may have added. */
function withoutEffect(operation: Unresolved, circumstances: Circumstances): Change {
  const { posts, response } = operation;
  const { repeated, tooLate, afterConflict } = circumstances;
  switch (response?.kind) {
    case 'REJECTED': {
      const { rejection, conflict, transactionId } = response;
      if (conflict && !afterConflict) return UNCHANGED;
      return {
        to: 'REJECTED',
        evidence: 'ANSWERED',
        rejection,
        ...(transactionId === undefined ? {} : { transactionId }),
      };
    }
    case 'RELEASED':
      // The outcome of the first POST is as unknown as before.
      if (posts === 2) return { to: 'UNKNOWN', response: null, posts: 1 };
      return repeated ? { to: 'SENDING', posts: 1 } : { to: 'RELEASED' };
    default: {
      const presumed = tooLate && response === null;
      return (
        repostOf(operation, circumstances) ??
        (presumed ? { to: 'NOT_APPLIED', evidence: 'PRESUMED' } : UNCHANGED)
      );
    }
  }
}

/**
 * The second POST, if it may be sent. A transaction is never created by a second POST: nothing
 * limits how many there can be.
 */
function repostOf(
  operation: Unresolved,
  { repeated, guardedRepost }: Circumstances,
): Change | undefined {
  if (!repeated || !guardedRepost || isDenied(operation)) return undefined;
  if (operation.kind === 'CREATE' || operation.posts === 2) return undefined;
  const isSafe = twoCannotBothApply(operation.kind, operation.amount, operation.snapshot);
  return isSafe ? { to: 'SENDING', posts: 2 } : undefined;
}

/** A success claims the only entry that it may have added. It cannot choose between several. */
function toSucceeded(
  evidence: Evidence,
  entries: readonly SnapshotEntry[],
): Change & { readonly to: 'SUCCEEDED' } {
  const [entry, another] = entries;
  const to = 'SUCCEEDED';
  if (entry === undefined) return { to, evidence };
  return another === undefined ? { to, evidence, entry } : { to, evidence, seen: entries };
}

/**
 * Whether a change may be recorded by a process that no longer owns the operation. A complete
 * 2xx that shows the effect is proof, whichever process read it; a rejection could be the
 * response to an older POST.
 */
export function isProof(change: Change): boolean {
  return change.to === 'SUCCEEDED' && change.evidence === 'ANSWERED';
}

/** An operation after its POST has succeeded. */
export function withSuccess(
  sending: OperationIn<'SENDING'>,
  { evidence, entry, transactionId }: PostChange & { readonly to: 'SUCCEEDED' },
  resolvedAt: Date,
): Operation {
  const ended = { state: 'SUCCEEDED', evidence, entry: entry ?? null, resolvedAt } as const;
  return sending.kind === 'CREATE'
    ? { ...sending, ...ended, transactionId: transactionId ?? null }
    : { ...sending, ...ended };
}
