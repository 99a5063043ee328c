import { builder } from '../graphql/builder.ts';
import { MoneyRef } from '../graphql/money.ts';
import { isInProgress, type Operation } from './operation.ts';

/** An operation as one answer shows it. */
export interface MoneyOperation {
  readonly operation: Operation;
  readonly replayed: boolean;
}

const Kind = builder.enumType('MoneyOperationKind', {
  description: 'What an operation does.',
  values: {
    CREATE: { description: '`Mutation.createTransaction`.' },
    CAPTURE: { description: '`Mutation.captureTransaction`.' },
    REFUND: { description: '`Mutation.refundTransaction`.' },
    VOID: { description: '`Mutation.voidTransaction`.' },
  },
});

const Status = builder.enumType('MoneyOperationStatus', {
  description: 'The state of an operation.',
  values: {
    SUCCEEDED: { description: 'The service applied it.' },
    REJECTED: { description: 'The service rejected it. No money moved.' },
    IN_PROGRESS: { description: 'It is being sent at this moment.' },
    UNKNOWN: {
      description: 'It was sent, and it is not yet known whether it was applied. Keep its key.',
    },
    NOT_APPLIED: {
      description:
        'It was not applied and never will be, by presumption or by decision of the operator. You may use a new key.',
    },
  },
});

const EvidenceType = builder.enumType('OperationEvidence', {
  description: 'What the outcome of an operation is based on.',
  values: {
    ANSWERED: { description: "The service's answer to the request." },
    READ_BACK: { description: 'What the transaction showed when it was read afterwards.' },
    PRESUMED: {
      description: 'Nothing was visible after the longest time that the service may take.',
    },
    OPERATOR: { description: 'The operator checked and settled it.' },
  },
});

const Advice = builder.enumType('OperationAdvice', {
  description: 'What to do about an operation that has not ended.',
  values: {
    POLL: {
      description: 'Wait a moment, then ask `Query.moneyOperation` or repeat the request.',
    },
    RETRY_SAME_KEY: {
      description:
        'Repeat the request with the same key. Never use a new key: the money could move twice.',
    },
    CONTACT_OPERATOR: {
      description:
        'Only the operator can find out the outcome, with `npm run money`. Keep the key.',
    },
  },
});

function statusOf(operation: Operation): typeof Status.$inferType {
  return isInProgress(operation) ? 'IN_PROGRESS' : operation.state;
}

function adviceOf(operation: Operation): typeof Advice.$inferType | null {
  if (isInProgress(operation)) return 'POLL';
  if (operation.state !== 'UNKNOWN') return null;
  return operation.needsOperator ? 'CONTACT_OPERATOR' : 'RETRY_SAME_KEY';
}

/** One intended movement of money. */
export const MoneyOperationRef = builder.objectRef<MoneyOperation>('MoneyOperation').implement({
  description:
    'One intended movement of money, identified by its merchant and idempotency key. It happens once, however often you send it.',
  fields: (t) => ({
    idempotencyKey: t.string({
      description: 'The idempotency key that you chose for it.',
      resolve: ({ operation }) => operation.key,
    }),
    kind: t.field({
      type: Kind,
      description: 'What it does.',
      resolve: ({ operation }) => operation.kind,
    }),
    amount: t.field({
      type: MoneyRef,
      description: 'The amount it moves.',
      resolve: ({ operation: { amount, currency } }) => ({ minorUnits: amount, currency }),
    }),
    status: t.field({
      type: Status,
      description: 'Its current state.',
      resolve: ({ operation }) => statusOf(operation),
    }),
    replayed: t.exposeBoolean('replayed', {
      description:
        'Whether this answer repeats the outcome of an earlier request. False only in the answer to the request that was sent to the service.',
    }),
    evidence: t.field({
      type: EvidenceType,
      nullable: true,
      description: 'What its outcome is based on. Null while it has not ended.',
      resolve: ({ operation }) => ('evidence' in operation ? operation.evidence : null),
    }),
    advice: t.field({
      type: Advice,
      nullable: true,
      description: 'What to do next. Null if there is nothing to do.',
      resolve: ({ operation }) => adviceOf(operation),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was first requested.',
      resolve: ({ operation }) => operation.createdAt,
    }),
    resolvedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When its outcome became known. Null while it has not ended.',
      resolve: ({ operation }) => ('resolvedAt' in operation ? operation.resolvedAt : null),
    }),
  }),
});
