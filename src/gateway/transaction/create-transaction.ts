import type { Context } from '../context.ts';
import { builder } from '../graphql/builder.ts';
import { MoneyInput } from '../graphql/money.ts';
import {
  attempt,
  MutationErrorRef,
  type MutationFailure,
  refuse,
  resultType,
} from '../graphql/mutation.ts';
import { readId } from '../graphql/node-id.ts';
import { isObject } from '../rest/record.ts';
import { RestError } from '../rest/rest-error.ts';
import { type ProcessingError, ProcessingErrorRef } from './processing-error.ts';
import { TransactionRef } from './transaction.ts';

interface Created {
  readonly __typename: 'CreateTransactionSuccess';
  readonly transactionId: string;
}

interface ProcessingFailed extends MutationFailure {
  readonly __typename: 'ProcessingFailedError';
  readonly processingError: ProcessingError;
  readonly transactionId: string | undefined;
}

const CreateTransactionSuccess = builder.objectRef<Created>('CreateTransactionSuccess').implement({
  description: 'The amount was reserved; capture it when goods or services are dispatched.',
  fields: (t) => ({
    transaction: t.field({
      type: TransactionRef,
      nullable: true,
      description: 'The new transaction. Null only if it could not be read; it exists.',
      resolve: ({ transactionId }, _args, { transactions }) => transactions.load(transactionId),
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
    transaction: t.field({
      type: TransactionRef,
      nullable: true,
      description: 'The declined transaction; null when the service kept none.',
      resolve: ({ transactionId }, _args, { transactions }) =>
        transactionId === undefined ? null : transactions.load(transactionId),
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
    custom: t.field({ type: 'JSON', description: 'An object to attach to the transaction.' }),
  }),
});

const paths = {
  amount: ['amount', 'minorUnits'],
  currency: ['amount', 'currency'],
  transactionId: ['source', 'transactionId'],
  cardId: ['source', 'cardId'],
};

interface CreateInput {
  readonly merchantId: string;
  readonly source: { readonly transactionId?: string; readonly cardId?: string };
  readonly amount: { readonly minorUnits: number; readonly currency: string };
  readonly descriptor?: string | null | undefined;
  readonly custom?: unknown;
}

async function create(input: CreateInput, { transactions }: Context) {
  const merchantId = readId('mer', input.merchantId, 'input.merchantId');
  const source = readSource(input.source);
  const { minorUnits: amount, currency } = input.amount;
  if (amount <= 0) {
    const message = 'The amount must be greater than zero.';
    return refuse('INVALID_INPUT', message, ['input', 'amount', 'minorUnits']);
  }
  const custom = input.custom ?? undefined;
  if (custom !== undefined && !isObject(custom)) {
    return refuse('INVALID_INPUT', '`custom` must be an object.', ['input', 'custom']);
  }
  const descriptor = input.descriptor ?? undefined;
  try {
    const transactionId = await transactions.create(merchantId, {
      ...source,
      currency,
      amount,
      ...(descriptor === undefined ? {} : { descriptor }),
      ...(custom === undefined ? {} : { custom }),
    });
    return { __typename: 'CreateTransactionSuccess', transactionId } as const;
  } catch (error) {
    const failed = error instanceof RestError ? toProcessingFailed(error) : undefined;
    if (failed === undefined) throw error;
    return failed;
  }
}

function readSource({ transactionId, cardId = '' }: CreateInput['source']) {
  return transactionId === undefined
    ? { cardId: readId('crd', cardId, 'input.source.cardId') }
    : { transactionId: readId('txn', transactionId, 'input.source.transactionId') };
}

/** A 400 whose body has a `code` is a processing error; one with a `field` is not. */
function toProcessingFailed({ status, body }: RestError): ProcessingFailed | undefined {
  const [raw] = Array.isArray(body) ? body : [body];
  if (status !== 400 || !isObject(raw) || raw.code === undefined) return undefined;
  const response = isObject(raw.response) ? raw.response : {};
  const kept = isObject(response.transaction) ? response.transaction.id : undefined;
  return {
    __typename: 'ProcessingFailedError',
    code: 'PROCESSING_FAILED',
    message: 'The payment was declined; nothing was reserved.',
    processingError: { raw },
    transactionId: typeof kept === 'string' ? kept : undefined,
  };
}

builder.mutationField('createTransaction', (t) =>
  t.field({
    type: resultType('CreateTransaction', CreateTransactionSuccess, ProcessingFailedRef),
    nullable: true,
    description:
      'Reserves an amount on the card of an earlier payment: the way to charge again without the customer.',
    args: {
      input: t.arg({ type: CreateTransactionInput, required: true, description: 'What to do.' }),
    },
    resolve: (_root, { input }, context) => attempt(create(input, context), paths),
  }),
);
