import type { MoneyErrorCode } from '../../money/access.ts';
import { adviceOf, isInProgress, type Operation } from '../../money/engine/operation.ts';
import type { Runner } from '../../money/runner.ts';
import { builder, type GraphObject } from '../../schema/builder.ts';
import { MoneyRef } from '../../schema/money.ts';
import { addErrorCodes } from '../../schema/mutation-error.ts';
import { NodeRef } from '../../schema/node.ts';
import type { ErrorCodes } from '../../schema/request-failure.ts';

declare module '../../schema/context.ts' {
  interface Context {
    /** Runs money operations. */
    readonly money: Runner;
  }
}

/** A money operation as reported in the response to one request. */
export interface ReportedOperation {
  readonly operation: Operation;
  readonly replayed: boolean;
}

const Kind = builder.enumType('MoneyOperationKind', {
  description: 'The kind of a money operation.',
  values: {
    CREATE: { description: 'A new transaction, by `Mutation.createTransaction`.' },
    CAPTURE: { description: 'A capture, by `Mutation.captureTransaction`.' },
    REFUND: { description: 'A refund, by `Mutation.refundTransaction`.' },
    VOID: { description: 'A void, by `Mutation.voidTransaction`.' },
  },
});

export const MoneyOperationStatus = builder.enumType('MoneyOperationStatus', {
  description:
    'The status of a money operation. The operation is open while it is `IN_PROGRESS` or `UNKNOWN`.',
  values: {
    SUCCEEDED: {
      description:
        'The payments service applied the operation. `evidence` shows how this is known; with `OPERATOR`, the operator recorded it.',
    },
    REJECTED: {
      description:
        'The payments service rejected the operation, and showed no effect of it when the gateway read it.',
    },
    IN_PROGRESS: {
      description: 'The gateway is sending the operation, or was interrupted while sending it.',
    },
    UNKNOWN: {
      description:
        'The gateway does not know whether the payments service applied the operation. Keep the idempotency key.',
    },
    NOT_APPLIED: {
      description:
        'The operation ended without being applied. `evidence` shows how certain this is. To try again, use a new idempotency key.',
    },
  },
});

const EvidenceType = builder.enumType('OperationEvidence', {
  description: 'What the outcome of a money operation is based on.',
  values: {
    ANSWERED: { description: 'The response of the payments service to the request.' },
    READ_BACK: {
      description:
        'A later read of the payments service, which showed the effect of the operation.',
    },
    PROVEN: {
      description:
        'The gateway proved that the service did not apply the operation and no longer can: the transaction shows no effect, and its remaining amount is too small for the operation.',
    },
    PRESUMED: {
      description:
        'No effect appeared within the maximum processing time, which the operator sets with `UPSTREAM_MAX_PROCESSING_MS`. The gateway presumes that the service did not apply the operation. If this is wrong and you repeat the operation with a new idempotency key, the money moves twice.',
    },
    OPERATOR: {
      description: "The decision of the gateway's operator, who recorded the outcome.",
    },
  },
});

const Advice = builder.enumType('OperationAdvice', {
  description: 'What to do about an open money operation.',
  values: {
    POLL: {
      description:
        'Wait one second. Then query `Query.moneyOperation`, or retry with the same idempotency key.',
    },
    RETRY_SAME_KEY: {
      description:
        'Retry with the same idempotency key. Never use a new key: the money could move twice.',
    },
    CONTACT_OPERATOR: {
      description:
        "Ask the gateway's operator to determine and record the outcome with the command `tillgraph money`. Keep the idempotency key.",
    },
  },
});

function statusOf(operation: Operation): typeof MoneyOperationStatus.$inferType {
  // Released operations are never shown.
  if (isInProgress(operation) || operation.state === 'RELEASED') return 'IN_PROGRESS';
  return operation.state;
}

/** A capture, refund, void or new transaction that a client requested. */
export const MoneyOperationRef = builder.objectRef<Operation>('MoneyOperation').implement({
  description:
    'A capture, refund, void or new transaction that a client requested, identified by its merchant and idempotency key. The operation is applied at most once, even if you send it several times. `Query.node` returns the operation as last recorded. If its status is `UNKNOWN`, `Query.moneyOperation` first checks the payments service for the outcome, unless `advice` is `CONTACT_OPERATOR`.',
  interfaces: [NodeRef],
  fields: (t) => ({
    idempotencyKey: t.string({
      description: 'The idempotency key that you generated for the operation.',
      resolve: ({ key }) => key,
    }),
    kind: t.field({
      type: Kind,
      description: 'Which mutation started the operation.',
      resolve: ({ kind }) => kind,
    }),
    amount: t.field({
      type: MoneyRef,
      description: 'The amount to capture, refund, void or reserve.',
      resolve: ({ amount, currency }) => ({ minorUnits: amount, currency }),
    }),
    status: t.field({
      type: MoneyOperationStatus,
      description: 'The current status.',
      resolve: statusOf,
    }),
    evidence: t.field({
      type: EvidenceType,
      nullable: true,
      description: 'What the outcome is based on. Null while the operation is open.',
      resolve: (operation) => ('evidence' in operation ? operation.evidence : null),
    }),
    advice: t.field({
      type: Advice,
      nullable: true,
      description: 'What to do next. Null if the operation has ended.',
      resolve: adviceOf,
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When the gateway recorded the operation.',
      resolve: ({ createdAt }) => createdAt,
    }),
    resolvedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the operation ended. Null while the operation is open.',
      resolve: (operation) => ('resolvedAt' in operation ? operation.resolvedAt : null),
    }),
  }),
});

/** Adds the operation, and whether it was replayed, to a member of a mutation's result. */
export function operationFields<Member extends ReportedOperation>(ref: GraphObject<Member>): void {
  // Pothos cannot infer the shape of a type parameter; the ref has the shape Member.
  const read = (member: unknown) => member as Member;
  builder.objectFields(ref, (t) => ({
    operation: t.field({
      type: MoneyOperationRef,
      description:
        'The money operation. To look it up later, use `Query.moneyOperation` with its idempotency key.',
      resolve: (member) => read(member).operation,
    }),
    replayed: t.boolean({
      description:
        'Whether an earlier request already sent the operation. False if this request sent it to the payments service.',
      resolve: (member) => read(member).replayed,
    }),
  }));
}

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
