import { builder, type GraphObject } from '../graphql/builder.ts';
import { MoneyRef } from '../graphql/money.ts';
import { NodeRef } from '../graphql/node.ts';
import { adviceOf } from './advice.ts';
import { isInProgress, type Operation } from './operation.ts';

/** An operation as the response to one request reports it. */
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
    SUCCEEDED: { description: 'The service applied it.' },
    REJECTED: { description: 'The service rejected it. Nothing changed.' },
    IN_PROGRESS: { description: 'The gateway is sending it at this moment.' },
    UNKNOWN: {
      description: 'It is not known whether the service applied it. Keep its idempotency key.',
    },
    NOT_APPLIED: {
      description:
        'It has ended without an effect: see `evidence`. To try again, use a new idempotency key.',
    },
  },
});

const EvidenceType = builder.enumType('OperationEvidence', {
  description: 'What the outcome of a money operation is based on.',
  values: {
    ANSWERED: { description: "The service's response to the request." },
    READ_BACK: {
      description:
        'The effect of the operation, which the gateway found when it read the payments service later.',
    },
    PROVEN: {
      description:
        'The gateway proved that the service did not apply the operation and never can: the transaction shows no effect, and too little is left for it.',
    },
    PRESUMED: {
      description:
        'No effect was visible after the longest processing time, which the operator sets with `UPSTREAM_MAX_PROCESSING_MS`. The gateway presumes that the service did not apply the operation. If this is wrong, a new idempotency key moves the money twice.',
    },
    OPERATOR: { description: 'The decision of the operator, who settled the operation.' },
  },
});

const Advice = builder.enumType('OperationAdvice', {
  description: 'What to do about an open money operation.',
  values: {
    POLL: {
      description:
        'Wait one second. Then query `Query.moneyOperation`, or repeat the request with the same idempotency key.',
    },
    RETRY_SAME_KEY: {
      description:
        'Repeat the request with the same idempotency key. Never use a new key: the money could move twice.',
    },
    CONTACT_OPERATOR: {
      description:
        'Ask the operator of the gateway, who settles the operation with `tillgraph money`. Keep the idempotency key.',
    },
  },
});

function statusOf(operation: Operation): typeof MoneyOperationStatus.$inferType {
  // Nobody is told of a released operation.
  if (isInProgress(operation) || operation.state === 'RELEASED') return 'IN_PROGRESS';
  return operation.state;
}

/** One intended capture, refund, void or new transaction. */
export const MoneyOperationRef = builder.objectRef<Operation>('MoneyOperation').implement({
  description:
    'One intended capture, refund, void or new transaction, identified by its merchant and idempotency key. It is applied at most once, even if you send it several times. `Query.node` returns it as recorded. If its outcome is unknown, `Query.moneyOperation` also reads the payments service again.',
  interfaces: [NodeRef],
  fields: (t) => ({
    idempotencyKey: t.string({
      description: 'The idempotency key that you generated for it.',
      resolve: ({ key }) => key,
    }),
    kind: t.field({
      type: Kind,
      description: 'Which mutation started it.',
      resolve: ({ kind }) => kind,
    }),
    amount: t.field({
      type: MoneyRef,
      description: 'The amount to capture, refund, void or reserve.',
      resolve: ({ amount, currency }) => ({ minorUnits: amount, currency }),
    }),
    status: t.field({
      type: MoneyOperationStatus,
      description: 'Its current status.',
      resolve: statusOf,
    }),
    evidence: t.field({
      type: EvidenceType,
      nullable: true,
      description: 'What its outcome is based on. Null while it is open.',
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
      description: 'When the gateway recorded it.',
      resolve: ({ createdAt }) => createdAt,
    }),
    resolvedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it ended. Null while it is open.',
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
        'Whether an earlier request sent the operation. False in the response to the request for which the gateway sent it to the service.',
      resolve: (member) => read(member).replayed,
    }),
  }));
}
