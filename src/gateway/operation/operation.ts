/** The four ways to move money. */
export type OperationKind = 'CAPTURE' | 'REFUND' | 'VOID' | 'CREATE';

/**
 * Where an operation stands. PREPARED: claimed, nothing sent. SENDING: a POST may have
 * left. UNKNOWN: it may or may not have taken effect. The others are final.
 */
export type OperationState =
  | 'PREPARED'
  | 'SENDING'
  | 'UNKNOWN'
  | 'SUCCEEDED'
  | 'REJECTED'
  | 'NOT_APPLIED';

/** What a final state rests on: the answer to the POST, the trail, a presumption, a person. */
export type Evidence = 'ANSWERED' | 'READ_BACK' | 'PRESUMED' | 'OPERATOR';

/** One entry of a trail, as far as it can prove a movement. Amounts in minor units. */
export interface TrailMark {
  /** Names the entry for ever: its line, or what tells it apart where it has none. */
  readonly ref: string;
  /** CAPTURE, REFUND or VOID; null for anything else. */
  readonly kind: OperationKind | null;
  readonly amount: number;
}

/** What the service showed just before the first POST. Amounts in minor units. */
export interface PreImage {
  readonly amount: number;
  readonly pendingAmount: number;
  readonly trail: readonly TrailMark[];
  /** For CREATE: the merchant's newest transaction, null when there was none. */
  readonly newest: string | null;
}

/** Why the service refused, kept to be told again. */
export interface Refusal {
  readonly code: string;
  readonly message: string;
  /** What belongs to the code, such as a processing error. */
  readonly details?: unknown;
}

/** One intended movement of money, known by merchant and idempotency key. */
export interface Operation {
  readonly id: string;
  readonly merchantId: string;
  readonly key: string;
  readonly kind: OperationKind;
  /** The transaction acted on; null for CREATE. */
  readonly lane: string | null;
  /** The lane, or the created transaction once it is known. */
  readonly transactionId: string | null;
  /** Minor units of `currency`. */
  readonly amount: number;
  readonly currency: string;
  /** SHA-256 of the arguments, in hexadecimal. */
  readonly fingerprint: string;
  readonly state: OperationState;
  /** POSTs that may have left; two only under the conservation guard. */
  readonly posts: number;
  /** Grows with every change of owner; only the owner of the newest may record a refusal. */
  readonly epoch: number;
  readonly needsOperator: boolean;
  readonly preImage: PreImage | null;
  readonly refusal: Refusal | null;
  readonly entryRef: string | null;
  readonly evidence: Evidence | null;
  readonly createdAt: Date;
  readonly sendingAt: Date | null;
  /** How long ago, by the store's clock; null when nothing was sent. */
  readonly sinceSendingMs: number | null;
  readonly resolvedAt: Date | null;
}
