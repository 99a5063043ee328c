import type { Money } from '../../schema/amount.ts';
import type { RequestFailure } from '../../schema/request-failure.ts';

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
 * How far the search for a created transaction has progressed: through everything up to `after`,
 * or, without a transaction to start after, from `top` down to `before`.
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
  /** Fencing token: grows with every change of owner. Only its holder may record a rejection. */
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
  /** The service's response while no read has confirmed it; null without a valid response. */
  readonly response: ServiceResponse | null;
  /** Milliseconds since that response, by the same clock. */
  readonly sinceResponseMs: number;
}

interface Ended<Snapshot> extends Sent<Snapshot> {
  readonly evidence: Evidence;
  readonly resolvedAt: Date;
}

/**
 * The progress of an operation. PREPARED: claimed, nothing sent. SENDING: a POST may have left.
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

/** Whether the operation is on an existing transaction. */
export function isMovement<Some extends Operation>(operation: Some): operation is Some & Movement {
  return operation.kind !== 'CREATE';
}

/** Whether the operation has not ended. */
export function isOpen(operation: Operation): operation is OpenOperation {
  return isInProgress(operation) || operation.state === 'UNKNOWN';
}

/** The amount was larger than the available amount. */
export interface AmountRejection {
  readonly code: 'AMOUNT_TOO_LARGE';
  readonly message: string;
  readonly maximum: Money;
}

/** The payment was declined. */
interface ProcessingRejection {
  readonly code: 'PROCESSING_FAILED';
  readonly message: string;
  /** In the service's own shape, without the payment that it may repeat. */
  readonly processingError: unknown;
}

/** Another request changed the transaction first. */
interface ConflictRejection {
  readonly code: 'CONFLICT';
  readonly message: string;
}

/** Any other rejection. */
interface OtherRejection {
  readonly code: 'UPSTREAM_REJECTED';
  readonly message: string;
  /** The input field it names, if it names exactly one. */
  readonly path?: readonly string[];
  readonly details: RequestFailure['details'];
}

/**
 * The service's rejection of a POST, after which a read showed no effect. It is stored with the
 * operation and returned again whenever the key is repeated.
 */
export type Rejection = AmountRejection | ProcessingRejection | ConflictRejection | OtherRejection;

/**
 * Why nothing was decided about the operation: it was not sent, or the service responded with
 * 401, 403 or 429 and shows no effect.
 */
export interface NotSentReason {
  readonly code: 'NOT_SENT' | 'UNAUTHENTICATED' | 'FORBIDDEN';
  readonly message: string;
}

/**
 * A response to a POST that a read of the service has to confirm, because an intermediary may
 * have sent it.
 */
export type ServiceResponse =
  /** A complete 2xx that does not show the effect. */
  | { readonly kind: 'ACCEPTED' }
  /** A 4xx that ends the operation. */
  | {
      readonly kind: 'REJECTED';
      readonly rejection: Rejection;
      /** After a conflict the effect may become visible some seconds later. */
      readonly conflict: boolean;
      /** The declined transaction, if the response contains one. */
      readonly transactionId?: string;
    }
  /** 401, 403 or 429: the service may process a repeated request. */
  | { readonly kind: 'RELEASED'; readonly reason: NotSentReason };

/** What to do about an open operation. */
export type AdviceName = 'POLL' | 'RETRY_SAME_KEY' | 'CONTACT_OPERATOR';

/** What to do about an operation; null if it has ended. */
export function adviceOf(operation: Operation): AdviceName | null {
  if (isInProgress(operation)) return 'POLL';
  if (operation.state !== 'UNKNOWN') return null;
  return operation.needsOperator ? 'CONTACT_OPERATOR' : 'RETRY_SAME_KEY';
}

/** One entry of a transaction's trail, as far as it can prove an operation. */
export interface SnapshotEntry {
  /** Id of its balance line; null while it has none. A void never has one. */
  readonly line: string | null;
  /** Identifies the entry by its other properties, which it has from the start. */
  readonly properties: string;
  /** Null for an entry that no operation can have added, such as a dispute. */
  readonly kind: MovementKind | null;
  /** Minor units of the transaction's currency. */
  readonly amount: number;
}

/** What identifies an entry: its line, its other properties, or both. */
export interface EntryIdentity {
  readonly line: string | null;
  readonly properties: string | null;
}

/** What a transaction shows about its money. Amounts in minor units. */
export interface TrailSnapshot {
  readonly amount: number;
  readonly pendingAmount: number;
  /** The counters of the service; null if not reported. */
  readonly capturedAmount: number | null;
  readonly refundedAmount: number | null;
  readonly voidedAmount: number | null;
  readonly trail: readonly SnapshotEntry[];
}

/** What the merchant's list of transactions showed just before the POST that creates one. */
export interface ListSnapshot {
  /** Id of the newest transaction; null if there was none. */
  readonly newest: string | null;
}

/** What the service showed just before the first POST. */
export type Snapshot = TrailSnapshot | ListSnapshot;
