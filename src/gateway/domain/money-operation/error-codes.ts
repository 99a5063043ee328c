import type { MoneyErrorCode } from '../../money/access.ts';
import { addErrorCodes } from '../../schema/mutation-error.ts';
import type { ErrorCodes } from '../../schema/request-failure.ts';

/** The error codes of mutations that move money. */
const moneyErrorCodes = {
  AMOUNT_TOO_LARGE: { description: 'The amount is larger than the available amount.' },
  CURRENCY_MISMATCH: { description: "The amount is not in the transaction's currency." },
  PROCESSING_FAILED: { description: 'The payment was declined.' },
  OUTCOME_UNKNOWN: {
    description:
      'The gateway does not know whether the payments service applied the operation, or the operation has ended as `NOT_APPLIED`. See `operation.status`, `operation.evidence` and `operation.advice`.',
  },
  NOT_SENT: {
    description:
      'This request sent nothing, because the gateway could not read or reach the payments service in time or because too many operations of the merchant were being sent. Or the service temporarily refused it, such as with status 429, and shows no effect of the operation. `message` says which. An earlier request with this idempotency key may have been applied. Retry later with the same key.',
  },
  TRANSACTION_BUSY: {
    description:
      'Another money operation of this kind is open on this transaction, so this request sent nothing. `message` contains the idempotency key of that operation. Wait until that operation has ended, then retry this request with its own idempotency key.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    description:
      'The idempotency key was used with other arguments. Use a new key for each money operation.',
  },
  IDEMPOTENCY_KEY_IN_USE: {
    description:
      'The operation with this idempotency key is in progress. Wait one second, then retry with the same key.',
  },
  STORE_UNAVAILABLE: {
    description:
      'The gateway temporarily cannot read or record money operations, and sends none that it cannot record. A request with this idempotency key may have been applied. Retry later with the same key.',
  },
} as const satisfies ErrorCodes & Record<MoneyErrorCode, unknown>;

addErrorCodes(moneyErrorCodes);
