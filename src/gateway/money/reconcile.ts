import type { EffectFinder } from './attempt.ts';
import type { Change, Effect } from './engine/change.ts';
import { afterRead } from './engine/machine.ts';
import type {
  EntryIdentity,
  Movement,
  NotSentReason,
  Operation,
  OperationIn,
  SearchPlace,
  Snapshot,
} from './engine/operation.ts';
import { entriesLike, without } from './engine/snapshot.ts';
import type { Parts } from './parts.ts';
import { UNREADABLE } from './parts.ts';
import type { KnownEntries, OperationStore } from './store/operation-store.ts';

/** Pauses in milliseconds before the reads that follow a POST whose effect is not known. */
const POLLS_MS = [0, 200, 1_000, 5_000];
/** The time after a conflict from which on a read shows what caused it. */
const CONFLICT_MS = 5_000;

/** The circumstances of a read of the service. */
interface Reading {
  /** Whether a caller repeats the key, so that another POST may follow. */
  readonly repeated: boolean;
  /** Time waited since the response, in milliseconds. */
  readonly waitedMs: number;
}

const ONCE: Reading = { repeated: false, waitedMs: 0 };

/**
 * Reads the service and records what it shows of an operation whose outcome is unknown.
 * Never sends anything. Returns the operation as it is now, which is unchanged if the service
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
  return change.to === 'UNREAD' ? operation : recordChange(parts, operation, change);
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

/** Nothing can be concluded: the service cannot be read, or shows too little. */
export interface Unread {
  readonly to: 'UNREAD';
  readonly reason: NotSentReason;
}

/** The change that a read of the service leads to. */
export async function readChange(
  { store, settings }: Parts,
  operation: OperationIn<'UNKNOWN'>,
  finder: EffectFinder,
  { repeated, waitedMs }: Reading,
): Promise<Change | Unread> {
  if (operation.needsOperator) return { to: 'UNKNOWN' };
  const { maxProcessingMs, postMs, guardedRepost } = settings;
  const tooLate =
    maxProcessingMs !== undefined && operation.sinceSendingMs > postMs + maxProcessingMs;
  const afterConflict = waitedMs >= CONFLICT_MS || operation.sinceResponseMs >= CONFLICT_MS;
  let effect: Effect;
  try {
    effect = await finder.findEffect(operation);
  } catch {
    return { to: 'UNREAD', reason: UNREADABLE };
  }
  const known = await readKnown(store, operation, effect);
  const circumstances = { ...known, repeated, guardedRepost, tooLate, afterConflict };
  return afterRead(operation, effect, circumstances);
}

const NONE: KnownEntries = { claimed: [], seen: [] };

/**
 * The entries that belong to other operations. If the operator settled an operation without naming
 * its entry, that entry may appear at any time, so no entry proves anything.
 */
async function readKnown(
  store: OperationStore,
  operation: OperationIn<'UNKNOWN'>,
  effect: Effect,
): Promise<KnownEntries> {
  if (effect.kind !== 'TRAIL' || operation.kind === 'CREATE') return NONE;
  const known = await store.knownEntries(operation.transactionId);
  return (await hasSettledWithoutEntry(store, operation))
    ? { ...known, seen: [...known.seen, ...effect.now.trail] }
    : known;
}

/** Records what a read has shown, if it has shown anything new. */
export async function recordChange(
  { store, report }: Parts,
  operation: OperationIn<'UNKNOWN'>,
  change: Change,
): Promise<Operation> {
  if (change.to === 'UNKNOWN') {
    const { needsOperator, response, posts, searchPlace } = change;
    if (needsOperator === true)
      report(
        `money operation ${operation.id} needs the operator: tillgraph money history ${operation.id}`,
      );
    const isNew = needsOperator === true || response !== undefined || posts !== undefined;
    if (!isNew && !isElsewhere(operation, searchPlace)) return operation;
  }
  return (await store.record(operation, change)) ?? operation;
}

/** Whether a search ended in a different place from the previous one. */
function isElsewhere(operation: Operation, place: SearchPlace | undefined): boolean {
  if (operation.kind !== 'CREATE' || place === undefined) return false;
  return JSON.stringify(place) !== JSON.stringify(operation.searchPlace);
}

/** The part of the store that knows the claims of a transaction. */
type Claims = Pick<OperationStore, 'listSucceeded'>;

/**
 * Whether a snapshot shows every entry of this kind and amount that is known to exist. With an
 * older snapshot, the entry of an earlier operation would later look like that of this operation.
 * Operations that the operator settled do not count: their entries may never appear.
 */
export async function isRecent(
  store: Claims,
  operation: Pick<Operation, 'kind' | 'amount' | 'transactionId'>,
  snapshot: Snapshot,
): Promise<boolean> {
  const { kind, amount } = operation;
  if (kind === 'CREATE' || !('trail' in snapshot)) return true;
  const succeeded = (await store.listSucceeded(operation)).filter(({ settled }) => !settled);
  const shown = entriesLike({ kind, amount }, snapshot.trail);
  if (shown.length < succeeded.length) return false;
  const known = succeeded.flatMap(({ entry, seen }): readonly EntryIdentity[] =>
    entry === null ? (seen ?? []) : [entry],
  );
  return without(known, shown).length === 0;
}

/** Whether the operator settled an operation of this kind and amount as applied, but its entry is not known. */
async function hasSettledWithoutEntry(
  store: Claims,
  operation: Pick<Movement, 'kind' | 'amount' | 'transactionId'>,
): Promise<boolean> {
  const succeeded = await store.listSucceeded(operation);
  return succeeded.some(({ settled, entry, seen }) => settled && entry === null && seen === null);
}
