import type { EffectFinder } from './attempt.ts';
import type { Change, Effect } from './change.ts';
import { isRecent } from './claims.ts';
import { afterRead } from './machine.ts';
import type { Operation, OperationIn, SearchPlace } from './operation.ts';
import type { Parts } from './parts.ts';
import type { OperationStore } from './store/operation-store.ts';

/** Pauses in milliseconds before the reads that follow a POST whose effect is not known. */
const POLLS_MS = [0, 200, 1_000, 5_000];
/** How long after a conflict a read shows what caused it. */
const CONFLICT_MS = 5_000;

/** Why the service is read. */
interface Reading {
  /** Whether a caller repeats the key, so that another POST may follow. */
  readonly repeated: boolean;
  /** Time that was waited since the response, in milliseconds. */
  readonly waitedMs: number;
}

const ONCE: Reading = { repeated: false, waitedMs: 0 };

/**
 * Reads the service and records what it shows of an operation whose outcome is unknown.
 * Never sends anything. Returns the operation as it is now; it stays as it is if the service
 * cannot be read.
 */
export async function reconcile(
  parts: Parts,
  operation: Operation,
  finder: EffectFinder,
  reading: Reading = ONCE,
): Promise<Operation> {
  if (operation.state !== 'UNKNOWN') return operation;
  const change = await readChange(parts, operation, finder, reading);
  return change === undefined ? operation : recordChange(parts, operation, change);
}

/** Reconciles until the outcome is known or the caller's deadline has passed. */
export async function pollUntilSettled(
  parts: Parts,
  operation: Operation,
  finder: EffectFinder,
  deadline: number,
): Promise<Operation> {
  const { clock } = parts;
  let latest = operation;
  let waitedMs = 0;
  for (const wait of POLLS_MS) {
    if (latest.state !== 'UNKNOWN' || latest.needsOperator) return latest;
    if (clock.now() + wait > deadline) return latest;
    await clock.sleep(wait);
    waitedMs += wait;
    latest = await reconcile(parts, latest, finder, { repeated: false, waitedMs }).catch(
      () => latest,
    );
  }
  return latest;
}

/**
 * The change that a read of the service leads to; undefined if the service cannot be read or
 * the operator has to settle the operation.
 */
export async function readChange(
  { store, settings }: Parts,
  operation: OperationIn<'UNKNOWN'>,
  finder: EffectFinder,
  { repeated, waitedMs }: Reading,
): Promise<Change | undefined> {
  if (operation.needsOperator) return undefined;
  const { maxProcessingMs, postMs, guardedRepost } = settings;
  const tooLate =
    maxProcessingMs !== undefined && operation.sinceSendingMs > postMs + maxProcessingMs;
  const afterConflict = waitedMs >= CONFLICT_MS || operation.sinceResponseMs >= CONFLICT_MS;
  let effect: Effect;
  try {
    effect = await finder.findEffect(operation);
  } catch {
    return undefined;
  }
  if (!(await isAttributable(store, operation, effect))) return undefined;
  const known =
    operation.kind === 'CREATE' ? NONE : await store.knownEntries(operation.transactionId);
  const circumstances = { ...known, repeated, guardedRepost, tooLate, afterConflict };
  return afterRead(operation, effect, circumstances);
}

/**
 * Whether the entries in a read can be told apart from those of operations that succeeded since
 * the snapshot. There can be some only if this operation was released: then it did not hold its
 * lock key. Those that do not know their entries claim them now.
 */
async function isAttributable(
  store: OperationStore,
  operation: OperationIn<'UNKNOWN'>,
  effect: Effect,
): Promise<boolean> {
  if (effect.kind !== 'TRAIL' || operation.kind === 'CREATE') return true;
  return operation.response?.kind !== 'RELEASED' || isRecent(store, operation, effect.now);
}

const NONE = { claimed: [], seen: [] };

/** Records what a read has shown, if it has shown anything new. */
export async function recordChange(
  { store, report }: Parts,
  operation: OperationIn<'UNKNOWN'>,
  change: Change,
): Promise<Operation> {
  if (change.to === 'UNKNOWN') {
    const { needsOperator, response, posts, searchPlace } = change;
    if (needsOperator === true) report(`money operation ${operation.id} needs an operator`);
    const isNew = needsOperator === true || response !== undefined || posts !== undefined;
    if (!isNew && !isElsewhere(operation, searchPlace)) return operation;
  }
  return (await store.record(operation, change)) ?? operation;
}

/** Whether a search ended in another place than the one before. */
function isElsewhere(operation: Operation, place: SearchPlace | undefined): boolean {
  if (operation.kind !== 'CREATE' || place === undefined) return false;
  return JSON.stringify(place) !== JSON.stringify(operation.searchPlace);
}
