import { type GeneralErrorCode, requestFailure } from '../graphql/request-failure.ts';

/** A code that only mutations that move money return. */
export type MoneyErrorCode =
  | 'AMOUNT_TOO_LARGE'
  | 'CURRENCY_MISMATCH'
  | 'PROCESSING_FAILED'
  | 'OUTCOME_UNKNOWN'
  | 'NOT_SENT'
  | 'TRANSACTION_BUSY'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'IDEMPOTENCY_KEY_IN_USE'
  | 'STORE_UNAVAILABLE';

/** Every code that a mutation that moves money may return. */
export type ErrorCodeName = GeneralErrorCode | MoneyErrorCode;

/** Makes the `RequestError` of a mutation that moves money. */
export const moneyFailure = requestFailure<ErrorCodeName>;
