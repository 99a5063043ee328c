import type { DocumentPart } from './document.ts';
import { inPath, json, operation } from './operation.ts';
import { date, id, input, orNull, record, ref, text } from './schema.ts';

const notes = orNull(text(1, 1000));

/** Saved cards. They are deprecated. */
export const cards: DocumentPart = {
  schemas: {
    Card: record({
      id,
      merchantId: id,
      created: date,
      bin: text(6, 6, '^\\d+$'),
      last4: text(4, 4, '^\\d+$'),
      scheme: { enum: ['visa', 'mastercard'] },
      expiry: date,
      notes,
      deleted: { type: 'null' },
    }),
  },
  paths: {
    '/merchants/{id}/cards': {
      post: operation({
        summary: 'Save the card of a transaction.',
        deprecated: true,
        parameters: [inPath('id', 'Id of the merchant.')],
        body: input({ transactionId: text(1, 1000) }, { notes }),
        responses: { 201: json('The id of the saved card.', record({ card: record({ id }) })) },
        errors: [401, 403, 404],
      }),
    },
    '/cards/{id}': {
      get: operation({
        summary: 'Get a saved card.',
        deprecated: true,
        parameters: [inPath('id', 'Id of the saved card.')],
        responses: { 200: json('The saved card.', record({ card: ref('Card') })) },
        errors: [401, 403, 404],
      }),
    },
  },
};
