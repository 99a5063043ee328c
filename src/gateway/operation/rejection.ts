import type { Money } from '../graphql/money.ts';
import type { RequestFailure } from '../graphql/mutation-error.ts';

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

/** Any other no. */
interface OtherRejection {
  readonly code: 'UPSTREAM_REJECTED';
  readonly message: string;
  /** The input field it names, if it names exactly one. */
  readonly path?: readonly string[];
  readonly details: RequestFailure['details'];
}

/**
 * The service's no to a POST, of which a read then showed no effect. It is stored with the
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
