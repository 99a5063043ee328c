import type { PostResult } from '../../operation/change.ts';
import type { Movement, OperationIn } from '../../operation/operation.ts';
import { newEntries, type SnapshotEntry } from '../../operation/snapshot.ts';
import { isObject } from '../../rest/record.ts';
import { kindOf } from '../trail.ts';
import { isSuccessful, type Transaction, type WriteResponse } from '../transaction-source.ts';
import { toDecline } from './decline.ts';
import { toSnapshotEntries } from './trail-snapshot.ts';

const ACCEPTED: PostResult = { kind: 'RESPONDED', response: { kind: 'ACCEPTED' } };

/**
 * What a complete 2xx shows of a movement. It proves that the service applied it only if it
 * contains the new entry, the transaction with the new entry in its trail, or a location.
 */
export function readMoved(
  operation: OperationIn<'SENDING'>,
  { body, transaction, location }: WriteResponse,
): PostResult {
  if (operation.kind === 'CREATE') return ACCEPTED;
  const entries = newEntries(operation, operation.snapshot, readEntries(operation, transaction));
  if (entries.length > 0) return { kind: 'APPLIED', entries };
  const isShown = isObject(body) && isOwnEntry(operation, body);
  return isShown || location !== undefined ? { kind: 'APPLIED' } : ACCEPTED;
}

/** The trail in a response; empty if there is none that can be read. */
function readEntries(
  { transactionId }: Movement,
  transaction: Transaction | undefined,
): readonly SnapshotEntry[] {
  if (transaction?.id !== transactionId) return [];
  try {
    return toSnapshotEntries(transaction);
  } catch {
    return [];
  }
}

function isOwnEntry({ kind, amount }: Movement, body: Readonly<Record<string, unknown>>): boolean {
  return kindOf(body) === kind && body.amount === amount;
}

/**
 * What a complete 2xx shows of a new transaction. It proves that the service created it only
 * if it contains the transaction's own id. The id inside an error is not that of a transaction.
 */
export function readCreated({ transaction, location }: WriteResponse): PostResult {
  const transactionId = transaction?.id ?? idIn(location);
  if (transactionId === undefined) return ACCEPTED;
  if (transaction === undefined || transaction.successful === undefined) {
    return isObject(transaction?.error) ? ACCEPTED : { kind: 'APPLIED', transactionId };
  }
  if (isSuccessful(transaction)) return { kind: 'APPLIED', transactionId };
  const rejection = toDecline(transaction.error);
  const response = { kind: 'REJECTED', rejection, conflict: false, transactionId } as const;
  return { kind: 'RESPONDED', response };
}

function idIn(location: string | undefined): string | undefined {
  return /\/transactions\/([^/?#]+)$/.exec(location ?? '')?.[1];
}
