import { builder } from '../graphql/builder.ts';
import { MutationErrorRef } from '../graphql/mutation-error.ts';
import type { OutcomeUnknown } from '../operation/answer.ts';
import { MoneyOperationRef } from '../operation/money-operation.ts';
import { TransactionRef } from './transaction.ts';

/** What a result that contains the type says about it. */
export const OUTCOME_UNKNOWN_NOTE = '`OutcomeUnknownError` means that the money may have moved.';

/** The honest answer when nobody can know. */
export const OutcomeUnknownRef = builder
  .objectRef<OutcomeUnknown>('OutcomeUnknownError')
  .implement({
    description:
      'Sent, or being sent, and no trustworthy answer came: it may or may not have taken effect. `operation.advice` says what to do; repeat only with the same idempotency key. Only when `operation.status` is `NOT_APPLIED` is it settled that nothing was done; then a new key may be used.',
    interfaces: [MutationErrorRef],
    fields: (t) => ({
      operation: t.field({
        type: MoneyOperationRef,
        description: 'The operation, to be found again by its key.',
        resolve: (unknown) => unknown,
      }),
      transaction: t.field({
        type: TransactionRef,
        nullable: true,
        description:
          'The transaction as it is now, if it is known which; null also if it could not be read.',
        resolve: ({ operation }, _args, { transactions }) =>
          operation.transactionId === null ? null : transactions.load(operation.transactionId),
      }),
    }),
  });
