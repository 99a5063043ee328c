import type { NotSentReason, Rejection, ServiceResponse } from './rejection.ts';
import type { EntryIdentity, ListSnapshot, TrailSnapshot } from './snapshot.ts';

/** The ways to move the money of an existing transaction. */
export const movementKinds = ['CAPTURE', 'REFUND', 'VOID'] as const;

/** A way to move the money of an existing transaction. */
export type MovementKind = (typeof movementKinds)[number];

/** What an operation does: move the money of a transaction, or create one. */
export type OperationKind = MovementKind | 'CREATE';

/**
 * What an outcome is based on: the response to the POST, a later read of the service, the
 * proof that the operation can never be applied, a presumption after the longest processing
 * time, or the operator.
 */
export type Evidence = 'ANSWERED' | 'READ_BACK' | 'PROVEN' | 'PRESUMED' | 'OPERATOR';

/**
 * How far the search for a created transaction has come: through everything up to `after`, or,
 * without a transaction to start after, from `top` down to `before`.
 */
export type SearchPlace =
  | { readonly after: string }
  | { readonly before: string; readonly top: string };

interface Intended {
  readonly id: string;
  readonly merchantId: string;
  /** The caller's idempotency key. */
  readonly key: string;
  /** Minor units of `currency`. */
  readonly amount: number;
  readonly currency: string;
  /** SHA-256 of the arguments, in hexadecimal. */
  readonly fingerprint: string;
  /** Fencing number: grows with every change of owner. Only its holder may record a rejection. */
  readonly epoch: number;
  readonly createdAt: Date;
}

/** What is known once a POST may have left. */
interface Sent<Snapshot> {
  readonly snapshot: Snapshot;
  /** POSTs that may have been applied; 2 only under the conservation guard. */
  readonly posts: 1 | 2;
  /** Milliseconds since the latest of them, by the clock that the store's sweeps advance. */
  readonly sinceSendingMs: number;
}

interface Unknown<Snapshot> extends Sent<Snapshot> {
  readonly needsOperator: boolean;
  /** What the service responded, as long as no read has confirmed it; null if nothing valid. */
  readonly response: ServiceResponse | null;
  /** Milliseconds since that response, by the same clock. */
  readonly sinceResponseMs: number;
}

interface Ended<Snapshot> extends Sent<Snapshot> {
  readonly evidence: Evidence;
  readonly resolvedAt: Date;
}

/**
 * How far an operation is. PREPARED: claimed, nothing sent. SENDING: a POST may have left.
 * UNKNOWN: it may or may not have been applied. RELEASED: the service responded with 401,
 * 403 or 429 and shows no effect; a repeat of the key sends it again. The other three are final.
 */
type Progress<Snapshot> =
  | { readonly state: 'PREPARED' }
  | ({ readonly state: 'SENDING' } & Sent<Snapshot>)
  | ({ readonly state: 'UNKNOWN' } & Unknown<Snapshot>)
  | ({ readonly state: 'RELEASED'; readonly reason: NotSentReason } & Sent<Snapshot>)
  | ({
      readonly state: 'SUCCEEDED';
      /** The trail entry it added, if one is known. */
      readonly entry: EntryIdentity | null;
    } & Ended<Snapshot>)
  | ({ readonly state: 'REJECTED'; readonly rejection: Rejection } & Ended<Snapshot>)
  | ({ readonly state: 'NOT_APPLIED' } & Ended<Snapshot>);

/** An operation on an existing transaction. */
export type Movement = Intended &
  Progress<TrailSnapshot> & {
    readonly kind: MovementKind;
    /** Only one open operation may hold it. */
    readonly lockKey: string;
    readonly transactionId: string;
  };

/** An operation that creates a transaction. */
export type Creation = Intended &
  Progress<ListSnapshot> & {
    readonly kind: 'CREATE';
    readonly lockKey: null;
    /** Null until it is known. */
    readonly transactionId: string | null;
    /** Where the search for the transaction continues; null for its beginning. */
    readonly searchPlace: SearchPlace | null;
  };

/** One intended movement of money, identified by merchant and idempotency key. */
export type Operation = Movement | Creation;

/** Where an operation is in its state machine. */
export type OperationState = Operation['state'];

/** An operation in one of some states. */
export type OperationIn<State extends OperationState> = Extract<
  Operation,
  { readonly state: State }
>;

/** An operation that has not ended. */
export type OpenOperation = OperationIn<'PREPARED' | 'SENDING' | 'UNKNOWN'>;

/** Whether a process is working on the operation at this moment. */
export function isInProgress(
  operation: Operation,
): operation is OperationIn<'PREPARED' | 'SENDING'> {
  return operation.state === 'PREPARED' || operation.state === 'SENDING';
}

/** The lock key of a kind of movement of a transaction. */
export function lockKeyOf(transactionId: string, kind: MovementKind): string {
  return `${transactionId}:${kind}`;
}

/** Whether the operation is one of an existing transaction. */
export function isMovement<Some extends Operation>(operation: Some): operation is Some & Movement {
  return operation.kind !== 'CREATE';
}

/** Whether the operation has not ended. */
export function isOpen(operation: Operation): operation is OpenOperation {
  return isInProgress(operation) || operation.state === 'UNKNOWN';
}
