import type { PostResult } from '../../../money/engine/change.ts';
import type { Movement, OperationIn, SnapshotEntry } from '../../../money/engine/operation.ts';
import { newEntries } from '../../../money/engine/snapshot.ts';
import type { Transaction, TransactionSource } from '../transaction-source.ts';
import { readTag, toEffect } from './find-created.ts';
import { toSnapshotEntries } from './trail-snapshot.ts';

const ACCEPTED: PostResult = { kind: 'RESPONDED', response: { kind: 'ACCEPTED' } };

/**
 * What a complete 2xx shows about a movement. It proves that the service applied it only if it
 * contains the transaction with the new entry in its trail.
 *
 * @param shown the transaction in the response
 */
export function readMoved(
  operation: OperationIn<'SENDING'>,
  shown: Transaction | undefined,
): PostResult {
  if (operation.kind === 'CREATE') return ACCEPTED;
  const entries = newEntries(operation, operation.snapshot, readEntries(operation, shown));
  return entries.length > 0 ? { kind: 'APPLIED', entries } : ACCEPTED;
}

/** The trail in a response; empty if it cannot be read. */
function readEntries(
  { transactionId }: Movement,
  shown: Transaction | undefined,
): readonly SnapshotEntry[] {
  if (shown?.id !== transactionId) return [];
  try {
    return toSnapshotEntries(shown);
  } catch {
    return [];
  }
}

/**
 * What a complete 2xx shows about a new transaction. The specification promises only its id, so the
 * transaction is read. It proves the operation only if it has the operation's tag.
 *
 * @param shown the transaction in the response
 */
export async function readCreated(
  operation: OperationIn<'SENDING'>,
  shown: Transaction | undefined,
  transactions: TransactionSource,
): Promise<PostResult> {
  if (shown === undefined) return ACCEPTED;
  try {
    const transaction = await transactions.fresh(shown.id);
    if (transaction === null || readTag(transaction) !== operation.id) return ACCEPTED;
    const effect = toEffect(transaction);
    const { transactionId } = effect;
    if (effect.kind === 'CREATED') return { kind: 'APPLIED', transactionId };
    const { rejection } = effect;
    const response = { kind: 'REJECTED', rejection, conflict: false, transactionId } as const;
    return { kind: 'RESPONDED', response };
  } catch {
    return ACCEPTED;
  }
}
