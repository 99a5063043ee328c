import { builder } from '../graphql/builder.ts';
import { MoneyRef } from '../graphql/money.ts';
import type { Operation } from './operation.ts';

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
  description: 'Where an operation stands.',
  values: {
    SUCCEEDED: { description: 'It was done.' },
    REJECTED: { description: 'The service refused it; nothing was done.' },
    IN_PROGRESS: { description: 'It is being sent at the moment.' },
    UNKNOWN: {
      description: 'It was sent, and nobody knows yet whether it was done. Keep its key.',
    },
    NOT_APPLIED: {
      description:
        'It was presumed, or decided by the operator, that it was not done and never will be. A new key may be used.',
    },
  },
});

const EvidenceType = builder.enumType('OperationEvidence', {
  description: 'What an ended operation rests on.',
  values: {
    ANSWERED: { description: "The service's own answer." },
    READ_BACK: { description: 'What the transaction showed afterwards.' },
    PRESUMED: { description: 'Nothing was there after the longest time it could take.' },
    OPERATOR: { description: 'A person looked and decided.' },
  },
});

const Advice = builder.enumType('OperationAdvice', {
  description: 'What to do about an operation that has not ended.',
  values: {
    POLL: { description: 'Wait a moment, then ask `Query.moneyOperation` or repeat the request.' },
    RETRY_SAME_KEY: {
      description: 'Repeat the request with the same key. Never with another: it could pay twice.',
    },
    CONTACT_OPERATOR: {
      description: 'Only a person can tell; the operator has `npm run money`. Keep the key.',
    },
  },
});

function statusOf({ state }: Operation): typeof Status.$inferType {
  return state === 'PREPARED' || state === 'SENDING' ? 'IN_PROGRESS' : state;
}

function adviceOf({ state, needsOperator }: Operation): typeof Advice.$inferType | null {
  if (state === 'PREPARED' || state === 'SENDING') return 'POLL';
  if (state !== 'UNKNOWN') return null;
  return needsOperator ? 'CONTACT_OPERATOR' : 'RETRY_SAME_KEY';
}

/** One intended movement of money. */
export const MoneyOperationRef = builder.objectRef<MoneyOperation>('MoneyOperation').implement({
  description:
    'One intended movement of money, known by its merchant and idempotency key. It happens once, however often it is asked for.',
  fields: (t) => ({
    idempotencyKey: t.string({
      description: 'The idempotency key that the caller gave it.',
      resolve: ({ operation }) => operation.key,
    }),
    kind: t.field({
      type: Kind,
      description: 'What it does.',
      resolve: ({ operation }) => operation.kind,
    }),
    amount: t.field({
      type: MoneyRef,
      description: 'How much it moves.',
      resolve: ({ operation: { amount, currency } }) => ({ minorUnits: amount, currency }),
    }),
    status: t.field({
      type: Status,
      description: 'Where it stands.',
      resolve: ({ operation }) => statusOf(operation),
    }),
    replayed: t.exposeBoolean('replayed', {
      description:
        'Whether this answer repeats an earlier request: false only where the request itself was sent to the service.',
    }),
    evidence: t.field({
      type: EvidenceType,
      nullable: true,
      description: 'What its end rests on; null while it has not ended.',
      resolve: ({ operation }) => operation.evidence,
    }),
    advice: t.field({
      type: Advice,
      nullable: true,
      description: 'What to do; null when nothing is to be done.',
      resolve: ({ operation }) => adviceOf(operation),
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was first asked for.',
      resolve: ({ operation }) => operation.createdAt,
    }),
    resolvedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When its end became known; null while it has not ended.',
      resolve: ({ operation }) => operation.resolvedAt,
    }),
  }),
});
