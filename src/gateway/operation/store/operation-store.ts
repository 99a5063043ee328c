import type { Change } from '../machine.ts';
import type { MovementKind, Operation, OperationIn, OperationState } from '../operation.ts';
import type { Snapshot } from '../snapshot.ts';

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

/** What a caller wants to be done, once. */
export type Intent = Wanted &
  (
    | {
        readonly kind: MovementKind;
        readonly lockKey: string;
        readonly transactionId: string;
      }
    | { readonly kind: 'CREATE'; readonly lockKey: null; readonly transactionId: null }
  );

/** What a process needs to change an operation: it changes only if the epoch is still this one. */
export type Held = Pick<Operation, 'id' | 'epoch'>;

/** How a claim ended. */
export type Claim =
  /** The caller's process owns the operation now. */
  | { readonly kind: 'CLAIMED'; readonly operation: OperationIn<'PREPARED'> }
  /** The key is known already. */
  | { readonly kind: 'KNOWN'; readonly operation: Operation }
  /** Another open operation holds the lock key. */
  | { readonly kind: 'BUSY'; readonly operation: Operation };

/** A change of an operation, or a result that came too late to change it. */
export interface OperationEvent {
  readonly at: Date;
  readonly from: OperationState | null;
  /** Null if the operation was removed or did not change. */
  readonly to: OperationState | null;
  readonly detail: unknown;
}

/** The outcome of an operation, as settled by the operator. */
export interface Settlement {
  readonly applied: boolean;
  /** Proof that it was applied: the line, or the transaction that was created. */
  readonly proof?: string;
  readonly note: string;
  /** Name of the operator's account on this machine. */
  readonly by: string;
}

/**
 * Stores operations. Every method that changes something is one transaction, which is
 * committed when the method resolves. Leases are counted by the store's clock; every method
 * that reads an operation by its key first ends its lease if that has expired.
 */
export interface OperationStore {
  find(merchantId: string, key: string): Promise<Operation | undefined>;
  claim(intent: Intent): Promise<Claim>;
  /** PREPARED to SENDING. Undefined if the claim was lost: then nothing may be sent. */
  startSending(operation: Held, snapshot: Snapshot): Promise<OperationIn<'SENDING'> | undefined>;
  /** UNKNOWN to SENDING for the second POST, with a new epoch. Undefined if another process did it first. */
  repost(operation: Held): Promise<OperationIn<'SENDING'> | undefined>;
  /**
   * Records a change if the caller may, and otherwise adds it as an event. Returns the
   * operation as it is now; undefined if it no longer exists.
   */
  record(operation: Held, change: Change): Promise<Operation | undefined>;
  /** How many operations of this kind and amount succeeded on the transaction. Each has an entry. */
  countSucceeded(operation: Pick<Operation, 'kind' | 'transactionId' | 'amount'>): Promise<number>;
  /** Which of these entries already belong to an operation. */
  claimedEntries(refs: readonly string[]): Promise<ReadonlySet<string>>;
  /** Ends every expired lease, and deletes some operations past their retention. */
  sweep(retentionDays: number): Promise<void>;
  /** UNKNOWN operations that a read of the service may still resolve, by id, after `after`. */
  listUnknown(after: string | undefined, limit: number): Promise<Operation[]>;
  /** The open operations, oldest first; or all operations, newest first. */
  list(open: boolean, limit: number): Promise<Operation[]>;
  /** The events of an operation, in order. They are kept when the operation is removed. */
  history(id: string): Promise<OperationEvent[]>;
  /**
   * Ends an UNKNOWN operation. Undefined if it is not UNKNOWN. A proof that belongs to another
   * operation settles nothing.
   */
  settle(id: string, settlement: Settlement): Promise<Operation | 'PROOF_TAKEN' | undefined>;
  close(): Promise<void>;
}
