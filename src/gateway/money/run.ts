import { randomUUID } from 'node:crypto';
import type { Leave } from '../upstream/shares.ts';
import type { Attempt, Verdict } from './attempt.ts';
import { isInProgress, isOpen, type Operation, type OperationIn } from './engine/operation.ts';
import { LEAST_MS, NO_PLACE, type Parts, recordPersistently, waitForPlace } from './parts.ts';
import { reconcile } from './reconcile.ts';
import { resume } from './resume.ts';
import { send, toVerdict } from './send.ts';
import type { Limits, Show } from './shared-runs.ts';
import { type Claim, FIRST_EPOCH } from './store/operation-store.ts';
import { StoreUnavailableError } from './store/watch-store.ts';

/** Returns undefined when the situation has changed and the caller should try again. */
export async function tryOnce<Invalid>(
  parts: Parts,
  attempt: Attempt<Invalid>,
  limits: Limits,
  show: Show,
  isFirst: boolean,
): Promise<Verdict<Invalid> | undefined> {
  const { merchantId, key } = attempt.intent;
  // Most keys are new. A claim finds the operation of a known key as well.
  const leave =
    isFirst && mayBegin(parts, attempt, limits) ? parts.shares.take(merchantId) : undefined;
  if (leave !== undefined) return begin(parts, attempt, limits, show, leave);
  const known = await parts.store.find(merchantId, key);
  return known === undefined
    ? beginInTurn(parts, attempt, limits, show)
    : proceed(parts, attempt, known, limits, show);
}

function mayBegin<Invalid>(
  { clock }: Parts,
  { invalid }: Attempt<Invalid>,
  { deadline }: Limits,
): boolean {
  return invalid === undefined && deadline - clock.now() >= LEAST_MS;
}

/** Begins a new operation when the merchant has a place for it. */
async function beginInTurn<Invalid>(
  parts: Parts,
  attempt: Attempt<Invalid>,
  limits: Limits,
  show: Show,
): Promise<Verdict<Invalid> | undefined> {
  const { intent, invalid } = attempt;
  if (invalid !== undefined) return { kind: 'INVALID_REQUEST', invalid };
  if (!mayBegin(parts, attempt, limits)) return { kind: 'NOT_SENT' };
  const leave = await waitForPlace(parts, intent, limits.deadline);
  if (leave === undefined) return { kind: 'NOT_SENT', reason: NO_PLACE };
  return begin(parts, attempt, limits, show, leave);
}

/**
 * Begins an operation, unless another one has its key or its lock key.
 *
 * @param leave gives its place back
 */
async function begin<Invalid>(
  parts: Parts,
  attempt: Attempt<Invalid>,
  limits: Limits,
  show: Show,
  leave: Leave,
): Promise<Verdict<Invalid> | undefined> {
  const { store, background, newId = randomUUID } = parts;
  const { deadline } = limits;
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
  const { operation } = claim;
  if (claim.kind === 'KNOWN') return proceed(parts, attempt, operation, limits, show);
  if (claim.kind === 'BUSY') return busy(parts, operation, attempt, limits);
  show(operation);
  const work = send(parts, claim.operation, attempt, deadline, leave).finally(leave);
  const late = { kind: 'OPERATION', operation, replayed: false } as const;
  return background.continueInBackground(operation.id, work, deadline, late);
}

/** Returns what became of a known operation, or continues it. */
async function proceed<Invalid>(
  parts: Parts,
  attempt: Attempt<Invalid>,
  operation: Operation,
  limits: Limits,
  show: Show,
): Promise<Verdict<Invalid> | undefined> {
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
    ? busy(parts, retaken.operation, attempt, limits)
    : continueWith(retaken.operation, true);
}

/** Waits for the operation that holds the lock key, whose outcome may be known by now. */
async function busy<Invalid>(
  parts: Parts,
  operation: Operation,
  attempt: Attempt<Invalid>,
  { patience }: Limits,
): Promise<Verdict<Invalid> | undefined> {
  if (isInProgress(operation) && parts.clock.now() < patience) {
    await parts.background.wait(operation.id, patience);
    return undefined;
  }
  const other = await reconcile(parts, operation, attempt);
  return isOpen(other) ? { kind: 'BUSY', other } : undefined;
}

/**
 * Removes an operation that the store may have claimed although the claim failed. Nothing was
 * sent for it. Its key and its lock key would otherwise be taken until the lease ends.
 *
 * @param error what the claim failed with; a store that was too late is waited for
 */
async function withdraw(parts: Parts, id: string, error: unknown): Promise<void> {
  if (error instanceof StoreUnavailableError) await error.ended;
  await recordPersistently(parts, { id, epoch: FIRST_EPOCH }, { to: 'REMOVED' });
}
