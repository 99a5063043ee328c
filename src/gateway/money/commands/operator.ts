import type { Effect } from '../engine/change.ts';
import type { Creation, OperationIn, SnapshotEntry } from '../engine/operation.ts';
import type { OperatorStore, OperatorView } from '../store/operation-store.ts';

/** A trail entry, as the operator sees it. */
export interface ShownEntry {
  readonly entry: SnapshotEntry;
  /** Null if not reported. */
  readonly createdAt: Date | null;
}

/** A transaction that an operation may have created. */
export interface ShownTransaction {
  /** The operation that it names in its tag; undefined without a tag. */
  readonly createdBy: unknown;
  readonly isSuccessful: boolean;
}

/** Reads the payments service with the operator's app key. Methods throw `RestError`s. */
export interface OperatorReader {
  /** The trail of a transaction, oldest first; null if there is no such transaction. */
  readTrail(transactionId: string): Promise<readonly ShownEntry[] | null>;
  /** A transaction; null if it does not exist. */
  readTransaction(transactionId: string): Promise<ShownTransaction | null>;
  /** Searches for the transaction that an operation creates. */
  findCreated(operation: Creation & OperationIn<'UNKNOWN'>): Promise<Effect>;
}

/** What the commands need. */
export interface Operator {
  readonly store: OperatorStore;
  /** Undefined if no app key is set. No decision can be verified then. */
  readonly reader: OperatorReader | undefined;
  /** Who settles the operation: the name of the operator's account on their machine, and what they add to it. */
  readonly by: string;
  /** Milliseconds since the epoch, for the age of operations. */
  readonly now: () => number;
}

const FULL_ID = 36;

/**
 * Finds an operation by its id or the beginning of it. Throws an {@link OperatorError} unless
 * there is exactly one.
 */
export async function findView(store: OperatorStore, id: string): Promise<OperatorView> {
  const [view, another] =
    id.length === FULL_ID
      ? [await store.viewOne(id)]
      : await store.view({ limit: 2, idPrefix: id });
  if (view === undefined) throw new OperatorError(`There is no operation ${id}.`);
  if (another === undefined) return view;
  throw new OperatorError(`Several operations begin with ${id}. Give more of the id.`);
}

/** Finds the full id of an operation, which may have been removed, by its id or its beginning. */
export async function findId(store: OperatorStore, id: string): Promise<string> {
  return id.length === FULL_ID ? id : (await findView(store, id)).operation.id;
}

/** The command is not valid or cannot be performed; the message says why. */
export class OperatorError extends Error {}
