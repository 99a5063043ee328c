import type {
  AmountRejection,
  Evidence,
  NotSentReason,
  Rejection,
  SearchPlace,
  ServiceResponse,
  SnapshotEntry,
  TrailSnapshot,
} from './operation.ts';

/** The result of one POST. */
export type PostResult =
  /** A complete 2xx that shows the effect. */
  | {
      readonly kind: 'APPLIED';
      /** The entries that the operation may have added, if the response contains the trail. */
      readonly entries?: readonly SnapshotEntry[];
      /** The transaction that was created. */
      readonly transactionId?: string;
    }
  /** Any other valid response: a read has to confirm it. */
  | { readonly kind: 'RESPONDED'; readonly response: ServiceResponse }
  /** Certainly nothing left this machine. */
  | { readonly kind: 'NOT_SENT'; readonly reason: NotSentReason }
  /** The POST may have left, and no valid response was read. */
  | { readonly kind: 'AMBIGUOUS' };

/** What a read of the service shows of an operation whose outcome is unknown. */
export type Effect =
  /** The transaction whose money the operation moves. */
  | {
      readonly kind: 'TRAIL';
      readonly now: TrailSnapshot;
      /** Set if the amount is larger than the available amount. */
      readonly tooLarge: AmountRejection | null;
    }
  | { readonly kind: 'CREATED'; readonly transactionId: string }
  | { readonly kind: 'DECLINED'; readonly transactionId: string; readonly rejection: Rejection }
  /** The transaction that the operation creates was not found. */
  | {
      readonly kind: 'NOT_FOUND';
      /** Whether every transaction since the snapshot was searched. */
      readonly complete: boolean;
      /** Where the next search continues; null for the beginning. */
      readonly searchPlace: SearchPlace | null;
    };

/** What to record next. */
export type Change =
  | {
      readonly to: 'SUCCEEDED';
      readonly evidence: Evidence;
      /** The entry that the operation claims. */
      readonly entry?: SnapshotEntry;
      /** Entries one of which is the operation's. None of them proves another operation. */
      readonly seen?: readonly SnapshotEntry[];
      readonly transactionId?: string;
    }
  | {
      readonly to: 'REJECTED';
      readonly evidence: Evidence;
      readonly rejection: Rejection;
      readonly transactionId?: string;
    }
  | {
      readonly to: 'UNKNOWN';
      readonly needsOperator?: true;
      /** Left out if it does not change. */
      readonly response?: ServiceResponse | null;
      /** Set if the second POST certainly was not applied. */
      readonly posts?: 1;
      readonly searchPlace?: SearchPlace;
    }
  | { readonly to: 'NOT_APPLIED'; readonly evidence: Evidence }
  /** The service responded with 401, 403 or 429. A repeat of the key sends it again. */
  | { readonly to: 'RELEASED' }
  /** Another POST. A second one that may be applied is sent only under the guard. */
  | { readonly to: 'SENDING'; readonly posts: 1 | 2 }
  /** Certainly never sent: the row is removed and the key is free again. */
  | { readonly to: 'REMOVED' };

/** A change that follows from a POST; it never leads to another POST. */
export type PostChange = Extract<Change, { readonly to: 'SUCCEEDED' | 'UNKNOWN' | 'REMOVED' }>;
