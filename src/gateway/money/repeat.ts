import type { Leave } from '../upstream/shares.ts';
import type { Attempt, Verdict } from './attempt.ts';
import type { Change } from './engine/change.ts';
import {
  isInProgress,
  isOpen,
  type Operation,
  type OperationIn,
  type Snapshot,
} from './engine/operation.ts';
import { LEAST_MS, NO_SLOT, type Parts, waitForSlot } from './parts.ts';
import { isRecent, readChange, reconcile, recordChange, type Unread } from './reconcile.ts';
import { post, type Run, takeSnapshot, toVerdict } from './run.ts';

/**
 * Returns what became of an operation whose key is repeated, or continues it. Undefined if the
 * situation has changed and the caller should try again.
 */
export async function repeat<Invalid>(
  run: Run<Invalid>,
  operation: Operation,
): Promise<Verdict<Invalid> | undefined> {
  const { parts, attempt, limits, show } = run;
  const { clock, store, background } = parts;
  const { deadline, patience } = limits;
  if (operation.fingerprint !== attempt.intent.fingerprint) return { kind: 'KEY_REUSED' };
  if (isInProgress(operation) && clock.now() < patience) {
    await background.wait(operation.id, patience);
    return undefined;
  }
  const mayPost = deadline - clock.now() >= LEAST_MS;
  const continueWith = (unknown: OperationIn<'UNKNOWN'>, retaken: boolean) => {
    show(unknown);
    const work = resume(parts, unknown, attempt, { deadline, mayPost, retaken });
    const late = { kind: 'OPERATION', operation: unknown, replayed: true } as const;
    return background.continueInBackground(unknown.id, work, deadline, late);
  };
  if (operation.state === 'UNKNOWN') return continueWith(operation, false);
  if (operation.state !== 'RELEASED') return toVerdict(operation, true);
  if (!mayPost) return { kind: 'NOT_SENT' };
  const retaken = await store.retake(operation);
  if (retaken.kind === 'GONE') return undefined;
  return retaken.kind === 'BUSY'
    ? waitForOther(run, retaken.operation)
    : continueWith(retaken.operation, true);
}

/** Waits for the operation that holds the lock key, whose outcome may be known by now. */
export async function waitForOther<Invalid>(
  { parts, attempt, limits: { patience } }: Run<Invalid>,
  operation: Operation,
): Promise<Verdict<Invalid> | undefined> {
  if (isInProgress(operation) && parts.clock.now() < patience) {
    await parts.background.wait(operation.id, patience);
    return undefined;
  }
  const other = await reconcile(parts, operation, attempt);
  return isOpen(other) ? { kind: 'BUSY', other } : undefined;
}

/** How a caller continues an operation. */
interface Resumption {
  /** When the caller stops waiting, by the runner's clock. */
  readonly deadline: number;
  /** Whether enough of that time is left for a POST. */
  readonly mayPost: boolean;
  /** Whether the operation was RELEASED until now. */
  readonly retaken: boolean;
}

/**
 * Continues an operation with an unknown outcome for a caller who repeats its key: reads the
 * service, and sends another POST if that cannot move the money twice.
 */
async function resume<Invalid>(
  parts: Parts,
  unknown: OperationIn<'UNKNOWN'>,
  attempt: Attempt<Invalid>,
  { deadline, mayPost, retaken }: Resumption,
): Promise<Verdict<Invalid>> {
  const read = (repeated: boolean) =>
    readChange(parts, unknown, attempt, { repeated, waitedMs: 0 });
  const change = await read(mayPost);
  const finish = (last: Change | Unread) =>
    retaken && last.to === 'UNREAD' ? release(parts, unknown, last) : record(parts, unknown, last);
  if (change.to !== 'SENDING') return finish(change);
  const free = parts.shares.take(unknown.merchantId);
  const leave = free ?? (await waitForSlot(parts, unknown, deadline));
  try {
    // What the service showed before the wait is out of date.
    const now = free === undefined ? await read(leave !== undefined) : change;
    if (leave !== undefined && now.to === 'SENDING') {
      return await repost(parts, unknown, attempt, deadline, { posts: now.posts, leave });
    }
    const verdict = await finish(now);
    return leave === undefined && verdict.kind === 'NOT_SENT'
      ? { kind: 'NOT_SENT', reason: NO_SLOT }
      : verdict;
  } finally {
    leave?.();
  }
}

/** Records what a read has shown, without another POST. */
async function record(
  parts: Parts,
  unknown: OperationIn<'UNKNOWN'>,
  change: Change | Unread,
): Promise<Verdict<never>> {
  const now = change.to === 'UNREAD' ? unknown : await recordChange(parts, unknown, change);
  return toVerdict(now, true);
}

/** Gives the lock key back, because nothing new is known since the operation was released. */
async function release(
  { store, report }: Parts,
  unknown: OperationIn<'UNKNOWN'>,
  { reason }: Unread,
): Promise<Verdict<never>> {
  await store.record(unknown, { to: 'RELEASED' });
  report(`money operation ${unknown.id} was not sent again: ${reason.message}`);
  return { kind: 'NOT_SENT', reason };
}

/** A POST that follows another one. */
interface Repost {
  /** How many POSTs may have been applied, including this one. */
  readonly posts: 1 | 2;
  /** Gives the operation's slot back. */
  readonly leave: Leave;
}

async function repost<Invalid>(
  parts: Parts,
  unknown: OperationIn<'UNKNOWN'>,
  attempt: Attempt<Invalid>,
  deadline: number,
  { posts, leave }: Repost,
): Promise<Verdict<Invalid>> {
  const { store } = parts;
  if (posts === 1) {
    // The operation was released, so this POST is sent as if it were the first one.
    const use = async (snapshot: Snapshot) =>
      (await isRecent(store, unknown, snapshot)) ? snapshot : undefined;
    const taken = await takeSnapshot(parts, unknown, attempt, deadline, use);
    if (!('result' in taken)) {
      await store.record(unknown, { to: 'RELEASED' });
      return 'invalid' in taken
        ? { kind: 'INVALID_REQUEST', ...taken }
        : { kind: 'NOT_SENT', ...taken };
    }
  }
  const sending = await store.repost(unknown, posts);
  if (sending !== undefined) return post(parts, sending, attempt, deadline, leave);
  // Another process has changed the operation.
  const operation = (await store.find(unknown.merchantId, unknown.key)) ?? unknown;
  return toVerdict(operation, true);
}
