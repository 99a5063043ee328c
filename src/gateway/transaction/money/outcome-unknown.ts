import { builder } from '../../graphql/builder.ts';
import { MutationErrorRef } from '../../graphql/mutation-error.ts';
import { MoneyOperationRef } from '../../operation/money-operation.ts';
import type { OutcomeUnknown } from '../../operation/operation-result.ts';
import { TransactionRef } from '../transaction.ts';
import { operationTransaction } from './operation-transaction.ts';

/** Sentence for the description of every result that contains the type. */
export const OUTCOME_UNKNOWN_NOTE = '`OutcomeUnknownError` means that the money may have moved.';

/** The member of a result for an outcome that is not known. */
export const OutcomeUnknownRef = builder
  .objectRef<OutcomeUnknown>('OutcomeUnknownError')
  .implement({
    description:
      'The request was or is being sent, and no valid answer has been received: it may or may not have been applied. `operation.advice` says what to do. Repeat only with the same idempotency key. If `operation.status` is `NOT_APPLIED`, nothing was applied and you may use a new key.',
    interfaces: [MutationErrorRef],
    fields: (t) => ({
      operation: t.field({
        type: MoneyOperationRef,
        description: 'The operation. `Query.moneyOperation` finds it again by its key.',
        resolve: (unknown) => unknown,
      }),
      transaction: t.field({
        type: TransactionRef,
        nullable: true,
        description:
          'The transaction in its current state. Null if it is not known which one it is, or if it could not be read.',
        resolve: operationTransaction,
      }),
    }),
  });
