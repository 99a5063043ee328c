import {
  addErrorCodes,
  type ErrorCodes,
  type GeneralErrorCode,
  requestFailure,
} from '../graphql/mutation-error.ts';

/** The error codes of mutations that move money. */
const moneyErrorCodes = {
  AMOUNT_TOO_LARGE: { description: 'The amount is larger than what is available.' },
  CURRENCY_MISMATCH: { description: "The amount is not in the transaction's currency." },
  PROCESSING_FAILED: { description: 'The processor declined the payment.' },
  OUTCOME_UNKNOWN: {
    description:
      'The request was sent, but no valid answer was read: the money may have moved. Repeat with the same idempotency key.',
  },
  NOT_SENT: {
    description:
      'This request sent nothing. To see what an earlier request did, repeat with the same idempotency key.',
  },
  TRANSACTION_BUSY: {
    description: 'Another operation on this transaction has not ended. This request sent nothing.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    description:
      'The idempotency key was used with other arguments. Use one key for each intended movement.',
  },
  IDEMPOTENCY_KEY_IN_USE: {
    description:
      'The operation with this idempotency key is in progress. Repeat the request in a moment.',
  },
  STORE_UNAVAILABLE: {
    description:
      'The gateway cannot read or record operations at the moment, so this request sent nothing. Repeat with the same idempotency key.',
  },
} as const satisfies ErrorCodes;

/** A code that only mutations that move money return. */
export type MoneyErrorCode = keyof typeof moneyErrorCodes;

/** Every code that a mutation that moves money may return. */
export type ErrorCodeName = GeneralErrorCode | MoneyErrorCode;

addErrorCodes(moneyErrorCodes);

/** Makes the `RequestError` of a mutation that moves money. */
export const moneyFailure = requestFailure<ErrorCodeName>;
