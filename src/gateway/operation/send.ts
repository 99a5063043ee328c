import type { Attempt, Verdict } from './attempt.ts';
import { afterPost, type PostChange } from './machine.ts';
import type { Operation, OperationIn } from './operation.ts';
import type { Parts } from './parts.ts';
import { pollUntilSettled, readChange, recordChange } from './reconcile.ts';
import { entriesLike } from './snapshot.ts';

/** Pauses in milliseconds before the snapshots that are taken until one is recent enough. */
const SNAPSHOTS_MS = [0, 200, 1_000];

/** Sends a claimed operation. Throws what the store throws. */
export async function send<Invalid>(
  parts: Parts,
  claimed: OperationIn<'PREPARED'>,
  attempt: Attempt<Invalid>,
  deadline: number,
): Promise<Verdict<Invalid>> {
  const { store } = parts;
  const release = () => store.record(claimed, { to: 'REMOVED' });
  const taken = await takeSnapshot(parts, claimed, attempt);
  if (taken === undefined || 'invalid' in taken) {
    await release();
    return taken === undefined ? { kind: 'NOT_SENT' } : { kind: 'INVALID_REQUEST', ...taken };
  }
  const sending = await store.startSending(claimed, taken.snapshot).catch(async (error) => {
    // The row may have been written although the store failed. Nothing was sent, so remove it.
    await release().catch(() => {});
    throw error;
  });
  if (sending === undefined) return { kind: 'NOT_SENT' };
  const result = await attempt.post(sending);
  const now = await recordResult(parts, sending, afterPost(1, result));
  if (result.kind === 'NOT_SENT') return { kind: 'NOT_SENT', reason: result.reason };
  const operation = await pollUntilSettled(parts, now ?? sending, attempt, deadline);
  return { kind: 'OPERATION', operation, replayed: false };
}

/**
 * Continues an operation with an unknown outcome for a caller who repeats its key: reads the
 * service, and under the conservation guard sends the second POST.
 *
 * @param mayPost whether enough of the caller's time is left for a POST
 */
export async function resume<Invalid>(
  parts: Parts,
  unknown: OperationIn<'UNKNOWN'>,
  attempt: Attempt<Invalid>,
  deadline: number,
  mayPost: boolean,
): Promise<Verdict<Invalid>> {
  const { store } = parts;
  const change = await readChange(parts, unknown, attempt, mayPost);
  if (change?.to !== 'SENDING') {
    const operation = change === undefined ? unknown : await recordChange(parts, unknown, change);
    return { kind: 'OPERATION', operation, replayed: true };
  }
  const sending = await store.repost(unknown);
  if (sending === undefined) {
    // Another process took the second POST.
    const operation = (await store.find(unknown.merchantId, unknown.key)) ?? unknown;
    return { kind: 'OPERATION', operation, replayed: true };
  }
  const result = await attempt.post(sending);
  const now = await recordResult(parts, sending, afterPost(2, result));
  const operation = await pollUntilSettled(parts, now ?? sending, attempt, deadline);
  return { kind: 'OPERATION', operation, replayed: false };
}

/**
 * Takes the snapshot before the POST. A snapshot that lacks an entry that is known to exist
 * is out of date: with it, an earlier operation's entry would later count as this one's.
 */
async function takeSnapshot<Invalid>(
  { store, clock, report }: Parts,
  claimed: OperationIn<'PREPARED'>,
  attempt: Attempt<Invalid>,
): Promise<Awaited<ReturnType<Attempt<Invalid>['takeSnapshot']>> | undefined> {
  const known = claimed.kind === 'CREATE' ? 0 : await store.countSucceeded(claimed);
  for (const wait of SNAPSHOTS_MS) {
    await clock.sleep(wait);
    const taken = await attempt.takeSnapshot().catch(() => undefined);
    if (taken === undefined || 'invalid' in taken) return taken;
    const { snapshot } = taken;
    if (claimed.kind === 'CREATE' || !('trail' in snapshot)) return taken;
    if (entriesLike(claimed, snapshot.trail).length >= known) return taken;
  }
  report(
    `money operation ${claimed.id} was not sent: the transaction does not show an entry that is known to exist`,
  );
  return undefined;
}

/**
 * Records what a POST led to. If the store fails now, what happened does not change: a success
 * is returned as a success; anything else is unknown until the store can be read.
 */
async function recordResult(
  { store, clock, report }: Parts,
  sending: OperationIn<'SENDING'>,
  change: PostChange,
): Promise<Operation | undefined> {
  const done = change.to === 'SUCCEEDED' ? toSucceeded(sending, change, clock.now()) : undefined;
  try {
    const now = await store.record(sending, change);
    if (done === undefined || now?.state === 'SUCCEEDED') return now;
    report(`money operation ${sending.id} was applied, but is recorded as ${now?.state}`);
    return done;
  } catch {
    report(`the outcome of money operation ${sending.id} could not be recorded: ${change.to}`);
    return done ?? sending;
  }
}

function toSucceeded(
  sending: OperationIn<'SENDING'>,
  { evidence, transactionId }: PostChange & { readonly to: 'SUCCEEDED' },
  now: number,
): Operation {
  const ended = {
    state: 'SUCCEEDED',
    evidence,
    entryRef: null,
    resolvedAt: new Date(now),
  } as const;
  return sending.kind === 'CREATE'
    ? { ...sending, ...ended, transactionId: transactionId ?? null }
    : { ...sending, ...ended };
}
