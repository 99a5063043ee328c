import { KEY_DESCRIPTION } from '../../../money/engine/idempotency-key.ts';
import { builder } from '../../../schema/builder.ts';
import { MoneyInput } from '../../../schema/money.ts';
import { MutationErrorRef, movesMoney, resultType } from '../../../schema/mutation-error.ts';
import { toResult } from '../../../schema/to-result.ts';
import { operationFields } from '../../money-operation/money-operation.ts';
import { ProcessingErrorRef } from '../processing-error.ts';
import { TransactionRef } from '../transaction.ts';
import { type Created, create, type ProcessingFailed } from './create-attempt.ts';
import {
  OUTCOME_UNKNOWN_NOTE,
  OutcomeUnknownRef,
  operationTransaction,
} from './outcome-unknown.ts';

const CreateTransactionSuccess = builder.objectRef<Created>('CreateTransactionSuccess').implement({
  description: 'The amount was reserved. Capture it when you deliver the goods or services.',
  fields: (t) => ({
    transaction: t.field({
      type: TransactionRef,
      nullable: true,
      description:
        "The new transaction. Null only if it could not be read afterwards, or if the gateway's operator recorded the operation as successful without the id of the transaction.",
      resolve: operationTransaction,
    }),
  }),
});

const ProcessingFailedRef = builder.objectRef<ProcessingFailed>('ProcessingFailedError').implement({
  description: 'The payments service declined the payment. Ask the customer to pay another way.',
  interfaces: [MutationErrorRef],
  fields: (t) => ({
    processingError: t.field({
      type: ProcessingErrorRef,
      description: 'Why the payment was declined.',
      resolve: ({ processingError }) => processingError,
    }),
    transaction: t.field({
      type: TransactionRef,
      nullable: true,
      description:
        'The declined transaction. Null if the service did not report one, or if it could not be read.',
      resolve: operationTransaction,
    }),
  }),
});

operationFields(CreateTransactionSuccess);
operationFields(ProcessingFailedRef);

const TransactionSourceInput = builder.inputType('TransactionSourceInput', {
  description: 'The source of the new transaction. Set exactly one field.',
  isOneOf: true,
  fields: (t) => ({
    transactionId: t.id({
      description:
        'An earlier successful transaction of the merchant: a node id or a `rawId`. Use one in which the customer agreed to later payments; the gateway does not check this.',
    }),
    cardId: t.id({
      deprecationReason:
        'The payments service has deprecated saved cards. Use `transactionId`. Removal not before 2027-06-01.',
      description: 'A saved card of the merchant: a node id or a `rawId`.',
    }),
  }),
});

const CreateTransactionInput = builder.inputType('CreateTransactionInput', {
  description: 'A new transaction, created from an earlier transaction or a saved card.',
  fields: (t) => ({
    merchantId: t.id({
      required: true,
      description: 'The merchant: a node id or a `rawId`.',
    }),
    source: t.field({
      type: TransactionSourceInput,
      required: true,
      description: 'The earlier transaction or saved card to take the card from.',
    }),
    amount: t.field({
      type: MoneyInput,
      required: true,
      description:
        'The amount to reserve, in any currency of `Query.currencies` that is not deprecated.',
    }),
    statementDescriptor: t.string({
      description:
        "Text for the customer's bank statement, printable ASCII, up to 22 characters. Defaults to the statement descriptor of the merchant.",
    }),
    custom: t.field({
      type: 'JSON',
      description:
        'A JSON object to attach to the transaction. The gateway adds the field `tillgraph` with the id of the money operation. The object must not contain a field with this name.',
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
    ...movesMoney,
    nullable: true,
    description:
      'Reserves an amount on the card of an earlier transaction, at most once per idempotency key. Use it for recurring payments, when the customer is not present.',
    args: {
      input: t.arg({
        type: CreateTransactionInput,
        required: true,
        description: 'The merchant, the source, the amount and the idempotency key.',
      }),
    },
    resolve: (_root, { input }, context) => toResult(create(input, context)),
  }),
);
