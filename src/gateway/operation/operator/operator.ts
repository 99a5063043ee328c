import type { Effect } from '../change.ts';
import type { Creation, OperationIn, SnapshotEntry } from '../operation.ts';
import type { OperatorStore } from '../store/operation-store.ts';

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

/** What the commands run on. */
export interface Operator {
  readonly store: OperatorStore;
  /** Undefined if no app key is set. Then no decision is verified. */
  readonly reader: OperatorReader | undefined;
  /** Who settles the operation: the name of the operator's account on their machine, and what they add to it. */
  readonly by: string;
  /** Milliseconds since the epoch, for the age of operations. */
  readonly now: () => number;
}
