import type { Change } from '../engine/change.ts';
import type {
  EntryIdentity,
  MovementKind,
  Operation,
  OperationIn,
  OperationState,
  Snapshot,
  SnapshotEntry,
} from '../engine/operation.ts';

interface Wanted {
  readonly merchantId: string;
  /** The caller's idempotency key. */
  readonly key: string;
  /** Minor units of `currency`. */
  readonly amount: number;
  readonly currency: string;
  /** SHA-256 of the arguments, in hexadecimal. */
  readonly fingerprint: string;
}

/** What a caller wants done, once. */
export type Intent = Wanted &
  (
    | {
        readonly kind: MovementKind;
        readonly lockKey: string;
        readonly transactionId: string;
      }
    | { readonly kind: 'CREATE'; readonly lockKey: null; readonly transactionId: null }
  );

/** The epoch of a new operation. */
export const FIRST_EPOCH = 1;

/** What a process needs to change an operation: it changes only if its epoch is still the same. */
export type Held = Pick<Operation, 'id' | 'epoch'>;

/** Another open operation holds the lock key. */
export interface Busy {
  readonly kind: 'BUSY';
  readonly operation: Operation;
}

/** How a claim ended. */
export type Claim =
  /** The caller's process owns the operation now. */
  | { readonly kind: 'CLAIMED'; readonly operation: OperationIn<'PREPARED'> }
  /** The key is known already. */
  | { readonly kind: 'KNOWN'; readonly operation: Operation }
  | Busy;

/** How retaking a released operation ended. */
export type Retaken =
  | { readonly kind: 'TAKEN'; readonly operation: OperationIn<'UNKNOWN'> }
  | Busy
  /** The operation is no longer released. */
  | { readonly kind: 'GONE' };

/** The entries of a transaction that belong to operations. */
export interface KnownEntries {
  /** Each belongs to one operation. */
  readonly claimed: readonly EntryIdentity[];
  /** Some of them belong to operations, but it is not known which entry belongs to which. */
  readonly seen: readonly EntryIdentity[];
}

/** An operation that succeeded, and its entry as far as it is known. */
export interface SucceededMovement {
  readonly id: string;
  /** Null if it has claimed no entry. */
  readonly entry: EntryIdentity | null;
  /** Entries one of which is its own. Null if it has claimed its entry, or if none are known. */
  readonly seen: readonly SnapshotEntry[] | null;
  /** Whether the operator settled it, so that nobody knows when its entry appears. */
  readonly settled: boolean;
}

/** A change of an operation, or a result that came too late to change it. */
export interface OperationEvent {
  readonly at: Date;
  readonly from: OperationState | null;
  /** Null if the operation was removed or did not change. */
  readonly to: OperationState | null;
  readonly detail: unknown;
}

/** The outcome of an operation, as settled by the operator. */
export interface Settlement extends Signed {
  readonly applied: boolean;
  /** The line that the operator gives as proof, or the transaction that was created. */
  readonly proof?: string;
  /** The entry that a read of the service showed, and that the operation claims. */
  readonly entry?: EntryIdentity;
  /** Whether a read of the service confirms the settlement; false if left out. */
  readonly verified?: boolean;
  /** The operation's epoch when it was read. If it has changed, nothing is settled. */
  readonly epoch?: number;
}

/** What a sweep needs to know. */
export interface Sweep {
  /** Days after which an ended operation is deleted. */
  readonly retentionDays: number;
  /** Time since this process last swept, by its monotonic clock, in milliseconds. */
  readonly ownMs: number;
}

/** What a sweep found. */
export interface Swept {
  /** Milliseconds by which the database's clock was set forward or back; 0 if it was not. */
  readonly clockJumpMs: number;
  /** Whether the sweep has reached a limit, so that another one should follow. */
  readonly isFull: boolean;
}

/**
 * Stores operations. Every method that changes something is one transaction, which is
 * committed when the method resolves. Leases are counted by the clock of the database; every method
 * that reads an operation by its key first ends its lease if that has expired.
 */
export interface OperationStore {
  find(merchantId: string, key: string): Promise<Operation | undefined>;
  /** @param id of the operation, if it is a new one; made by the store if left out */
  claim(intent: Intent, id?: string): Promise<Claim>;
  /** RELEASED to UNKNOWN, with a new epoch. Takes the lock key again. */
  retake(operation: Held): Promise<Retaken>;
  /**
   * PREPARED to SENDING. If it returns undefined, nothing may be sent: the claim was lost.
   *
   * @param ifFirst returns undefined also if `listSucceeded` returns any operation
   */
  startSending(
    operation: Operation,
    snapshot: Snapshot,
    ifFirst: boolean,
  ): Promise<OperationIn<'SENDING'> | undefined>;
  /**
   * UNKNOWN to SENDING for another POST, with a new epoch. Undefined if another process
   * changed the operation first.
   *
   * @param posts how many POSTs may have been applied, including this one
   */
  repost(operation: Held, posts: 1 | 2): Promise<OperationIn<'SENDING'> | undefined>;
  /**
   * Records a change if the caller may, and otherwise adds it as an event. Returns the
   * operation as it is now; undefined if it no longer exists.
   */
  record(operation: Held | OperationIn<'SENDING'>, change: Change): Promise<Operation | undefined>;
  /** The entries of a transaction that belong to operations. */
  knownEntries(transactionId: string): Promise<KnownEntries>;
  /**
   * The operations of this kind and amount that succeeded on the transaction, each of which
   * has added an entry. Without those that the operator waived.
   */
  listSucceeded(
    operation: Pick<Operation, 'kind' | 'transactionId' | 'amount'>,
  ): Promise<SucceededMovement[]>;
  /**
   * Records that a caller is told of the operator's settlement: from then on it is final.
   * Returns true if the operation has changed since it was read. Then nobody may be told.
   */
  markReturned(operation: Held): Promise<boolean>;
  /**
   * Advances the store's clock, and ends a limited number of expired leases and deletes a limited
   * number of operations past their retention.
   */
  sweep(sweep: Sweep): Promise<Swept>;
  /** UNKNOWN operations that a read of the service may still resolve, by id, after `after`. */
  listUnknown(after: string | undefined, limit: number): Promise<Operation[]>;
  /** The open operations, oldest first; or all operations, newest first. */
  list(open: boolean, limit: number): Promise<Operation[]>;
  /** Operations of one merchant, as recorded. */
  listOfMerchant(query: OperationQuery): Promise<ListedOperation[]>;
  /** The events of an operation, in order. They stay when an operation is removed that was never sent. */
  history(id: string): Promise<OperationEvent[]>;
  /**
   * Ends an UNKNOWN operation. Undefined if it is not UNKNOWN, or has changed since it
   * was read. A proof that belongs to another operation settles nothing.
   */
  settle(id: string, settlement: Settlement): Promise<Operation | 'PROOF_TAKEN' | undefined>;
  close(): Promise<void>;
}

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
  /** Gives up waiting for the entry of a success. Undefined if no operation waits for it. */
  waive(id: string, waiver: Waiver): Promise<Operation | undefined>;
}

/** Where an operation is in a list. Lists are sorted by both properties. */
export interface Place {
  /** When it was recorded, in microseconds since 1970. */
  readonly createdMicros: number;
  readonly id: string;
}

/** Which operations of a merchant to list. */
export interface OperationQuery {
  readonly merchantId: string;
  /** Only this operation. */
  readonly id?: string | undefined;
  readonly transactionId?: string | undefined;
  readonly states: readonly OperationState[];
  /** Only operations recorded at this time or later. */
  readonly from?: Date | undefined;
  /** Only operations recorded before this time. */
  readonly to?: Date | undefined;
  /** Whether the list is read from older to newer operations. */
  readonly backward: boolean;
  /** The list begins after this place, in the direction of reading. */
  readonly start?: Place | undefined;
  /** The list ends before this place, in the direction of reading. */
  readonly end?: Place | undefined;
  readonly limit: number;
}

/** An operation with its place in a list. */
export interface ListedOperation {
  readonly operation: Operation;
  readonly place: Place;
  /** Whether a caller was told of the operator's settlement, so that it is final. */
  readonly returned: boolean;
}
