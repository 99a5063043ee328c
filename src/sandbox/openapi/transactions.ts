import { currencies } from '../../currencies.ts';
import { activeCurrencies } from '../payments/chargeable-currencies.ts';
import { processingErrors } from '../payments/processing-errors.ts';
import type { DocumentPart } from './document.ts';
import { flagFilter, inPath, json, listParameters, operation } from './operation.ts';
import {
  amount,
  counter,
  date,
  flag,
  id,
  input,
  listOf,
  minorUnits,
  orNull,
  record,
  ref,
  type Schema,
  text,
  yes,
} from './schema.ts';

/** The currencies of payments, also of those made before their currency was withdrawn. */
export const known: Schema = { enum: [...currencies.keys()] };
/** The currencies of new payments. */
const chargeable: Schema = { enum: activeCurrencies };
const descriptor = text(1, 22, '^[ -~]*$');
const sentDescriptor = orNull(descriptor);
const source = { type: ['string', 'null', 'boolean'], maxLength: 1000, not: { const: true } };
const merchant = inPath('id', 'Id of the merchant.');
const transaction = inPath('id', 'Id of the transaction.');
const one = json('The transaction.', record({ transaction: ref('Transaction') }));

const errorFields = {
  code: { enum: [...processingErrors.keys()] },
  message: { type: 'string' },
  client: flag,
  merchant: flag,
};

/** A trail entry of one kind. `kind` has the properties that only entries of this kind have. */
function entry(kind: Readonly<Record<string, Schema>>): Schema {
  const fee = record({ flat: minorUnits, rate: minorUnits });
  return record({ fee, amount: counter, balance: minorUnits, created: date, ...kind });
}

function movement(summary: string, fields: Readonly<Record<string, Schema>>): Schema {
  return {
    post: operation({
      summary,
      parameters: [transaction],
      body: input({ amount }, fields),
      responses: { 201: one },
      errors: [401, 403, 404, 409],
    }),
  };
}

/** Transactions and their captures, refunds and voids. */
export const transactions: DocumentPart = {
  schemas: {
    Transaction: record({
      id,
      test: flag,
      merchantId: id,
      created: date,
      amount,
      refundedAmount: counter,
      capturedAmount: counter,
      voidedAmount: counter,
      pendingAmount: counter,
      disputedAmount: counter,
      card: record({
        bin: text(6, 6, '^\\d+$'),
        last4: text(4, 4, '^\\d+$'),
        expiry: date,
        code: record({ present: flag }),
        scheme: { enum: ['visa', 'mastercard'] },
      }),
      tds: { enum: ['none', 'attempt', 'full'] },
      currency: known,
      custom: { type: ['object', 'null'] },
      recurring: flag,
      successful: flag,
      error: { oneOf: [{ const: false }, record(errorFields)] },
      descriptor,
      trail: { type: 'array', items: ref('TrailEntry') },
    }),
    TrailEntry: {
      oneOf: [
        entry({ capture: yes, descriptor, lineId: id }),
        entry({ refund: yes, descriptor, lineId: id }),
        entry({ void: yes }),
        entry({
          dispute: { oneOf: [record({ id, won: yes }), record({ id, lost: yes })] },
          lineId: id,
        }),
      ],
    },
    ProcessingError: record({
      ...errorFields,
      response: record({ transaction: record({ id }) }),
    }),
  },
  paths: {
    '/merchants/{id}/transactions': {
      get: operation({
        summary: 'List the transactions of a merchant, newest first.',
        parameters: [merchant, ...listParameters, flagFilter('test'), flagFilter('successful')],
        responses: { 200: json('The transactions.', listOf('Transaction')) },
        errors: [400, 401, 403, 404],
      }),
      post: operation({
        summary: 'Create a transaction from a previous one. Using a saved card is deprecated.',
        parameters: [merchant],
        body: input(
          { currency: chargeable, amount },
          {
            transactionId: source,
            authorizationId: source,
            cardId: source,
            descriptor: sentDescriptor,
            custom: { type: ['object', 'null'] },
          },
        ),
        responses: {
          201: json('The id of the transaction.', record({ transaction: record({ id }) })),
          400: json('The request is invalid, or the payment was declined and stored as failed.', {
            oneOf: [listOf('FieldError'), ref('ProcessingError')],
          }),
        },
        errors: [401, 403, 404],
      }),
    },
    '/transactions/{id}': {
      get: operation({
        summary: 'Get a transaction.',
        parameters: [transaction],
        responses: { 200: one },
        errors: [401, 403, 404],
      }),
    },
    '/transactions/{id}/captures': movement('Capture some or all of the pending amount.', {
      currency: orNull({ type: 'string' }),
      descriptor: sentDescriptor,
    }),
    '/transactions/{id}/refunds': movement('Refund some or all of the captured amount.', {
      descriptor: sentDescriptor,
    }),
    '/transactions/{id}/voids': movement('Void some or all of the pending amount.', {}),
  },
};
