import type { Operation } from '../operation.ts';
import type { OperationStore } from './operation-store.ts';

/** An operation as the operator sees it. */
export interface OperatorView {
  readonly operation: Operation;
  /** Whether the operator has given up waiting for its entry. */
  readonly waived: boolean;
  /** Whether the operator's settlement was checked against the service; null without one. */
  readonly verified: boolean | null;
}

/** Which operations to show. A property that is left out excludes none. */
export interface ViewFilter {
  readonly limit: number;
  readonly open?: boolean;
  readonly idPrefix?: string;
  /** The caller's idempotency key. */
  readonly key?: string;
  readonly transactionId?: string;
}

/** Who changes an operation, and why. */
export interface Signed {
  readonly note: string;
  /** Name of the operator's account on their machine. */
  readonly by: string;
}

/** Gives up waiting for an entry. */
export interface Waiver extends Signed {
  /** Whether a read of the service did not show the entry. */
  readonly verified: boolean;
}

/** Why a settlement cannot be taken back. */
export type NotReopened =
  /** The operator has not settled it. */
  | 'NOT_SETTLED'
  /** A caller was told of the settlement. */
  | 'RETURNED'
  /** An operation on the same lock key is open, or has succeeded since the settlement. */
  | 'FOLLOWED';

/** What the operator's commands need of the store. */
export interface OperatorStore
  extends Pick<OperationStore, 'history' | 'settle' | 'knownEntries' | 'listSucceeded' | 'close'> {
  /** The open operations, oldest first; or all operations, newest first. */
  view(filter: ViewFilter): Promise<OperatorView[]>;
  /** One operation; undefined if it does not exist. */
  viewOne(id: string): Promise<OperatorView | undefined>;
  /** Takes the operator's settlement back: the operation is UNKNOWN again, with a new epoch. */
  reopen(id: string, signed: Signed): Promise<Operation | NotReopened>;
  /** Gives up the entry of an operation that succeeded. Undefined if no operation waits for it. */
  waive(id: string, waiver: Waiver): Promise<Operation | undefined>;
}
