import type { Change } from '../machine.ts';
import type { Operation, OperationKind, OperationState, PreImage } from '../operation.ts';

/** What a caller wants done, once. */
export interface Intent {
  readonly merchantId: string;
  readonly key: string;
  readonly kind: OperationKind;
  /** The transaction acted on; null for CREATE. */
  readonly lane: string | null;
  readonly amount: number;
  readonly currency: string;
  /** SHA-256 of the arguments, in hexadecimal. */
  readonly fingerprint: string;
}

/** How a claim ended: ours, known already, or another operation is open on the transaction. */
export interface Claim {
  readonly kind: 'CLAIMED' | 'KNOWN' | 'BUSY';
  readonly operation: Operation;
}

/** A change of an operation, or a result that came too late to change it. */
export interface OperationEvent {
  readonly at: Date;
  readonly from: OperationState | null;
  /** Null when it was removed, or when nothing changed. */
  readonly to: OperationState | null;
  readonly detail: unknown;
}

/** What an operator decided about an operation that nobody else could. */
export interface Decision {
  readonly applied: boolean;
  /** What proves it, when it was applied: the line, or the transaction that was created. */
  readonly proof?: string;
  readonly note: string;
  /** Name of the person's account on this machine. */
  readonly by: string;
}

/**
 * Where operations are kept. Every method that changes something is one transaction, and
 * confirmed when it resolves. Leases are counted by the store's clock; whoever touches an
 * operation whose lease ran out ends the lease first.
 */
export interface OperationStore {
  find(merchantId: string, key: string): Promise<Operation | undefined>;
  claim(intent: Intent): Promise<Claim>;
  /** PREPARED to SENDING. Undefined when the claim was lost: then nothing may be sent. */
  startSending(operation: Operation, before: PreImage): Promise<Operation | undefined>;
  /** UNKNOWN to SENDING for the second POST, with a new epoch. Undefined when another was faster. */
  repost(operation: Operation): Promise<Operation | undefined>;
  /**
   * Records a change if its author may, else notes it as an event. Answers the operation
   * as it is now; undefined when there is none any more.
   */
  record(operation: Operation, change: Change): Promise<Operation | undefined>;
  /** How many operations like this one succeeded on its transaction: so many entries exist. */
  countSucceeded(operation: Operation): Promise<number>;
  /** Which of these entries belong to an operation already. */
  claimedEntries(refs: readonly string[]): Promise<ReadonlySet<string>>;
  /** Ends every lease that ran out, and forgets some of what ended before retention. */
  sweep(retentionDays: number): Promise<void>;
  /** Operations that a look at the service may still decide, from one id on. */
  undecided(after: string | undefined, limit: number): Promise<Operation[]>;
  /** The newest operations; or those that are open, the oldest first. */
  list(open: boolean, limit: number): Promise<Operation[]>;
  /** What happened to an operation, in order; kept also when the operation was removed. */
  history(id: string): Promise<OperationEvent[]>;
  /**
   * Ends an UNKNOWN operation. Undefined when it is not, or not any more; nothing is decided
   * by a proof that belongs to another operation.
   */
  decide(id: string, decision: Decision): Promise<Operation | 'PROOF_TAKEN' | undefined>;
  close(): Promise<void>;
}
