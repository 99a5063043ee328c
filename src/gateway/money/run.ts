import { randomUUID } from 'node:crypto';
import type { Leave } from '../upstream/shares.ts';
import type { Attempt, Verdict } from './attempt.ts';
import type { PostChange, PostResult } from './engine/change.ts';
import { afterPost, withSuccess } from './engine/machine.ts';
import type { NotSentReason, Operation, OperationIn, Snapshot } from './engine/operation.ts';
import { THIS_REQUEST } from './engine/post-result.ts';
import { without } from './engine/snapshot.ts';
import { type Parts, recordPersistently, UNREADABLE } from './parts.ts';
import { isRecent, pollUntilSettled } from './reconcile.ts';
import type { Limits, Show } from './shared-runs.ts';
import { type Claim, FIRST_EPOCH } from './store/operation-store.ts';
import { StoreUnavailableError } from './store/watch-store.ts';

/** One request of a caller to perform an operation, and what performs it. */
export interface Run<Invalid> {
  readonly parts: Parts;
  readonly attempt: Attempt<Invalid>;
  readonly limits: Limits;
  readonly show: Show;
}

/** How an operation that was started ends. */
type Done<Invalid> = Exclude<Verdict<Invalid>, { readonly kind: 'BUSY' }>;

/** The operation that holds the key or the lock key of a new one. */
type InTheWay = Exclude<Claim, { readonly kind: 'CLAIMED' }>;

/**
 * Performs a new operation: claims its keys, takes a snapshot, marks it as SENDING, sends the POST,
 * classifies the response, and records the result. If the claim fails, returns the operation in the
 * way.
 *
 * @param leave gives back the slot of its merchant
 */
export async function performNew<Invalid>(
  { parts, attempt, limits: { deadline }, show }: Run<Invalid>,
  leave: Leave,
): Promise<Done<Invalid> | InTheWay> {
  const { store, background, newId = randomUUID } = parts;
  const id = newId();
  let claim: Claim | undefined;
  try {
    claim = await store.claim(attempt.intent, id);
  } catch (error) {
    background.add(id, withdraw(parts, id, error));
    throw error;
  } finally {
    if (claim?.kind !== 'CLAIMED') leave();
  }
  if (claim.kind !== 'CLAIMED') return claim;
  const { operation } = claim;
  show(operation);
  const work = send(parts, operation, attempt, deadline, leave).finally(leave);
  const late = { kind: 'OPERATION', operation, replayed: false } as const;
  return background.continueInBackground(id, work, deadline, late);
}

/**
 * Removes an operation that the store may have claimed although the claim failed. Nothing was
 * sent for it. Its key and its lock key would otherwise be taken until the lease ends.
 *
 * @param error the error of the claim; if the store was too late, waits for its response
 */
async function withdraw(parts: Parts, id: string, error: unknown): Promise<void> {
  if (error instanceof StoreUnavailableError) await error.ended;
  await recordPersistently(parts, { id, epoch: FIRST_EPOCH }, { to: 'REMOVED' });
}

/**
 * Sends a claimed operation. Throws the errors of the store.
 *
 * @param leave gives the operation's slot back
 */
async function send<Invalid>(
  parts: Parts,
  claimed: OperationIn<'PREPARED'>,
  attempt: Attempt<Invalid>,
  deadline: number,
  leave: Leave,
): Promise<Done<Invalid>> {
  const taken = await takeSnapshot(parts, claimed, attempt, deadline, (snapshot) =>
    startSending(parts, claimed, snapshot, deadline),
  );
  if ('result' in taken) {
    return taken.result === 'NOT_SENT'
      ? { kind: 'NOT_SENT' }
      : post(parts, taken.result, attempt, deadline, leave);
  }
  await parts.store.record(claimed, { to: 'REMOVED' });
  return 'invalid' in taken
    ? { kind: 'INVALID_REQUEST', ...taken }
    : { kind: 'NOT_SENT', ...taken };
}

/**
 * Marks a claimed operation as SENDING. Returns undefined if the snapshot is out of date, and
 * NOT_SENT if the claim was lost or the deadline has passed.
 */
async function startSending(
  parts: Parts,
  claimed: OperationIn<'PREPARED'>,
  snapshot: Snapshot,
  deadline: number,
): Promise<OperationIn<'SENDING'> | 'NOT_SENT' | undefined> {
  const { store, clock, background } = parts;
  const isLate = () => clock.now() >= deadline;
  try {
    if (!isLate()) {
      // Few transactions have an earlier movement like this one. Without one, a single statement
      // is enough.
      const first = await store.startSending(claimed, snapshot, true);
      if (first !== undefined) return first;
      if (!(await isRecent(store, claimed, snapshot))) return undefined;
    }
    if (!isLate()) return (await store.startSending(claimed, snapshot, false)) ?? 'NOT_SENT';
  } catch (error) {
    // The operation may be SENDING although the store failed. Nothing was sent, so remove it.
    background.add(claimed.id, recordPersistently(parts, claimed, { to: 'REMOVED' }));
    throw error;
  }
  await store.record(claimed, { to: 'REMOVED' });
  return 'NOT_SENT';
}

/** Pauses in milliseconds before each snapshot, until one is recent enough. */
const SNAPSHOTS_MS = [0, 200, 800, 2_000];

/** The service does not show an entry that is known to exist. */
const OUTDATED: NotSentReason = {
  code: 'NOT_SENT',
  message: `The payments service does not show an earlier movement of this transaction yet, so ${THIS_REQUEST}`,
};

/** What was made of a recent snapshot, or why there is none. */
export type Taken<Invalid, Result> =
  | { readonly result: Result }
  | { readonly invalid: Invalid }
  | { readonly reason: NotSentReason };

/**
 * Takes the snapshot before a POST and uses it, or returns why nothing is sent: the request is no
 * longer valid, or the service cannot be read, or it does not show an entry that is known to exist.
 *
 * @param use returns undefined if the snapshot is out of date
 */
export async function takeSnapshot<Invalid, Result>(
  { clock, report }: Parts,
  operation: OperationIn<'PREPARED' | 'UNKNOWN'>,
  attempt: Attempt<Invalid>,
  deadline: number,
  use: (snapshot: Snapshot) => Promise<Result | undefined>,
): Promise<Taken<Invalid, Result>> {
  let isRead = false;
  for (const wait of SNAPSHOTS_MS) {
    if (clock.now() + wait > deadline) break;
    await clock.sleep(wait);
    const taken = await attempt.takeSnapshot().catch(() => undefined);
    if (taken === undefined) return { reason: UNREADABLE };
    isRead = true;
    if ('invalid' in taken) return taken;
    const result = await use(taken.snapshot);
    if (result !== undefined) return { result };
  }
  if (!isRead) return { reason: UNREADABLE };
  report(
    `money operation ${operation.id} is not sent now: the transaction does not show an entry that is known to exist`,
  );
  return { reason: OUTDATED };
}

/**
 * Sends the POST of a SENDING operation, records its result, and reads the service until the
 * outcome is known.
 */
export async function post<Invalid>(
  parts: Parts,
  sending: OperationIn<'SENDING'>,
  attempt: Attempt<Invalid>,
  deadline: number,
  leave: Leave,
): Promise<Done<Invalid>> {
  const result = await withOwnEntries(parts, sending, await attempt.post(sending));
  // If the result cannot be recorded, all that is known is that the operation was sent.
  const now = await recordResult(parts, sending, afterPost(sending.posts, result)).catch(
    () => sending,
  );
  leave();
  if (result.kind === 'NOT_SENT' && (now === undefined || now.state === 'RELEASED')) {
    return { kind: 'NOT_SENT', reason: result.reason };
  }
  if (now === undefined) return { kind: 'OPERATION', operation: sending, replayed: false };
  const operation = await pollUntilSettled(parts, now, attempt, deadline);
  return toVerdict(operation, false);
}

/** How a request ends with an operation in this state. */
export function toVerdict(operation: Operation, replayed: boolean): Done<never> {
  return operation.state === 'RELEASED'
    ? { kind: 'NOT_SENT', reason: operation.reason }
    : { kind: 'OPERATION', operation, replayed };
}

/** Leaves out the entries in a response that other operations have claimed. */
async function withOwnEntries(
  { store }: Parts,
  { transactionId }: OperationIn<'SENDING'>,
  result: PostResult,
): Promise<PostResult> {
  if (result.kind !== 'APPLIED' || transactionId === null) return result;
  const { entries = [] } = result;
  // The store never lets two operations have the same entry, but it cannot choose one of several.
  if (entries.length < 2) return result;
  // If the store cannot be read, every entry may be the operation's own.
  const claimed = await store.knownEntries(transactionId).then(
    (known) => known.claimed,
    () => [],
  );
  const own = without(entries, claimed);
  return own.length > 0
    ? { ...result, entries: own }
    : { kind: 'RESPONDED', response: { kind: 'ACCEPTED' } };
}

/**
 * Records the result of a POST. A success is a fact, so it is returned immediately, even if the
 * store fails. Anything else is returned only when it is recorded.
 */
async function recordResult(
  parts: Parts,
  sending: OperationIn<'SENDING'>,
  change: PostChange,
): Promise<Operation | undefined> {
  const { store, background, report } = parts;
  if (change.to !== 'SUCCEEDED') return recordPersistently(parts, sending, change);
  const done = withSuccess(sending, change, new Date());
  try {
    const now = await store.record(sending, change);
    if (now?.state === 'SUCCEEDED' || now?.state === 'UNKNOWN') return now;
    report(`money operation ${sending.id} was applied, but is recorded as ${now?.state}`);
  } catch {
    background.add(sending.id, recordPersistently(parts, sending, change));
  }
  return done;
}
