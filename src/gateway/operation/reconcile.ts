import type { EffectFinder } from './attempt.ts';
import { afterRead, type Change, type Effect } from './machine.ts';
import type { Operation, OperationIn } from './operation.ts';
import type { Parts } from './parts.ts';

/** Pauses in milliseconds before the reads that follow an ambiguous result. */
const POLLS_MS = [0, 200, 1_000, 5_000];

/**
 * Reads the service and records what it shows of an operation whose outcome is unknown.
 * Never sends anything. Returns the operation as it is now; it stays as it is if the service
 * cannot be read.
 */
export async function reconcile(
  parts: Parts,
  operation: Operation,
  finder: EffectFinder,
): Promise<Operation> {
  if (operation.state !== 'UNKNOWN') return operation;
  const change = await readChange(parts, operation, finder, false);
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
  for (const wait of POLLS_MS) {
    if (latest.state !== 'UNKNOWN' || latest.needsOperator) return latest;
    if (clock.now() + wait > deadline) return latest;
    await clock.sleep(wait);
    latest = await reconcile(parts, latest, finder).catch(() => latest);
  }
  return latest;
}

/**
 * The change that a read of the service leads to; undefined if the service cannot be read or
 * the operator has to settle the operation.
 *
 * @param repeated whether a caller repeats the key, so that a second POST may follow
 */
export async function readChange(
  { store, settings }: Parts,
  operation: OperationIn<'UNKNOWN'>,
  finder: EffectFinder,
  repeated: boolean,
): Promise<Change | undefined> {
  if (operation.needsOperator) return undefined;
  const { maxProcessingMs, postMs, guardedRepost } = settings;
  const tooLate =
    maxProcessingMs !== undefined && operation.sinceSendingMs > postMs + maxProcessingMs;
  let effect: Effect;
  try {
    effect = await finder.findEffect(operation);
  } catch {
    return undefined;
  }
  if (effect.kind === 'ENTRIES') {
    const claimed = await store.claimedEntries(effect.entries.map(({ ref }) => ref));
    effect = { ...effect, entries: effect.entries.filter(({ ref }) => !claimed.has(ref)) };
  }
  return afterRead(operation, effect, { repeated, guardedRepost, tooLate });
}

/** Records what a read has shown, if it has shown anything new. */
export async function recordChange(
  { store, report }: Parts,
  operation: OperationIn<'UNKNOWN'>,
  change: Change,
): Promise<Operation> {
  if (change.to === 'UNKNOWN') {
    if (change.needsOperator !== true) return operation;
    report(`money operation ${operation.id} needs an operator`);
  }
  return (await store.record(operation, change)) ?? operation;
}
