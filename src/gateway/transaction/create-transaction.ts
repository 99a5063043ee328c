import { builder } from '../graphql/builder.ts';
import { MoneyInput } from '../graphql/money.ts';
import { MutationErrorRef } from '../graphql/mutation-error.ts';
import { resultType } from '../graphql/result-type.ts';
import { toResult } from '../graphql/to-result.ts';
import { KEY_DESCRIPTION } from '../operation/idempotency-key.ts';
import { MoneyOperationRef } from '../operation/money-operation.ts';
import { type Created, create, type ProcessingFailed } from './creation.ts';
import { OUTCOME_UNKNOWN_NOTE, OutcomeUnknownRef } from './outcome-unknown.ts';
import { ProcessingErrorRef } from './processing-error.ts';
import { TransactionRef } from './transaction.ts';

const CreateTransactionSuccess = builder.objectRef<Created>('CreateTransactionSuccess').implement({
  description: 'The amount was reserved; capture it when goods or services are dispatched.',
  fields: (t) => ({
    operation: t.field({
      type: MoneyOperationRef,
      description: 'The operation, to be found again by its key.',
      resolve: (created) => created,
    }),
    transaction: t.field({
      type: TransactionRef,
      nullable: true,
      description:
        'The new transaction. Null only if it could not be read, or an operator decided without saying which it is; it exists.',
      resolve: ({ operation }, _args, { transactions }) =>
        operation.transactionId === null ? null : transactions.load(operation.transactionId),
    }),
  }),
});

const ProcessingFailedRef = builder.objectRef<ProcessingFailed>('ProcessingFailedError').implement({
  description:
    'The processor declined. Nothing was reserved; ask the customer to pay in another way.',
  interfaces: [MutationErrorRef],
  fields: (t) => ({
    processingError: t.field({
      type: ProcessingErrorRef,
      description: 'Why it was declined.',
      resolve: ({ processingError }) => processingError,
    }),
    operation: t.field({
      type: MoneyOperationRef,
      description: 'The operation, to be found again by its key.',
      resolve: (failed) => failed,
    }),
    transaction: t.field({
      type: TransactionRef,
      nullable: true,
      description: 'The declined transaction; null when the service kept none.',
      resolve: ({ operation }, _args, { transactions }) =>
        operation.transactionId === null ? null : transactions.load(operation.transactionId),
    }),
  }),
});

const TransactionSourceInput = builder.inputType('TransactionSourceInput', {
  description: 'What the new payment is made from.',
  isOneOf: true,
  fields: (t) => ({
    transactionId: t.id({
      description:
        'An earlier, successful transaction of the merchant: the one the customer made and consented with.',
    }),
    cardId: t.id({
      deprecationReason:
        'Saved cards are deprecated by the payments service. Use `transactionId`. Removal not before 2027-06-01.',
      description: 'A saved card of the merchant.',
    }),
  }),
});

const CreateTransactionInput = builder.inputType('CreateTransactionInput', {
  description: 'A new payment from an earlier one.',
  fields: (t) => ({
    merchantId: t.id({
      required: true,
      description: "The merchant: a node id, or the service's own id.",
    }),
    source: t.field({
      type: TransactionSourceInput,
      required: true,
      description: 'What the payment is made from.',
    }),
    amount: t.field({
      type: MoneyInput,
      required: true,
      description: 'What to reserve, in any published currency that is not deprecated.',
    }),
    descriptor: t.string({
      description:
        "Text for the customer's bank statement, printable ASCII, up to 22 characters; the merchant's when left out.",
    }),
    custom: t.field({
      type: 'JSON',
      description:
        'An object to attach to the transaction. The field `tillgraph` is reserved: the gateway puts the id of the operation there.',
    }),
    idempotencyKey: t.string({ required: true, description: KEY_DESCRIPTION }),
  }),
});

builder.mutationField('createTransaction', (t) =>
  t.field({
    type: resultType(
      'CreateTransaction',
      CreateTransactionSuccess,
      [ProcessingFailedRef, OutcomeUnknownRef],
      OUTCOME_UNKNOWN_NOTE,
    ),
    nullable: true,
    description:
      'Reserves an amount on the card of an earlier payment, once for each key: the way to charge again without the customer.',
    args: {
      input: t.arg({
        type: CreateTransactionInput,
        required: true,
        description: 'Whose payment, from what, how much, and the idempotency key.',
      }),
    },
    resolve: (_root, { input }, context) => toResult(create(input, context)),
  }),
);
