import { currencies } from '../../currencies.ts';
import { countries } from '../payments/countries.ts';
import type { DocumentPart } from './document.ts';
import { empty, flagFilter, inPath, json, listParameters, operation } from './operation.ts';
import {
  counter,
  date,
  email,
  flag,
  iban,
  id,
  input,
  listOf,
  minorUnits,
  optionalName,
  orNull,
  record,
  ref,
  text,
  uuid,
  yes,
} from './schema.ts';

const funding = {
  enum: [...currencies.values()]
    .filter((currency) => currency.funding && !currency.deprecated)
    .map(({ code }) => code),
};
const country = { enum: [...countries] };
const number = orNull(text(1, 50));
const website = text(1, 2000);
const descriptor = text(1, 22, '^[ -~]*$');
const price = record({ currency: funding, amount: counter });
const one = json('The merchant.', record({ merchant: ref('Merchant') }));
const merchant = inPath('id', 'Id of the merchant.');

/** Merchants. */
export const merchants: DocumentPart = {
  schemas: {
    Merchant: record({
      id,
      key: uuid,
      name: optionalName,
      currency: funding,
      test: flag,
      email,
      website,
      descriptor,
      company: record({ country, number }),
      bank: record({ iban }),
      created: date,
      balance: minorUnits,
      claim: record({
        canChargeCard: yes,
        canSaveCard: yes,
        canCapture: yes,
        canRefund: yes,
        canVoid: yes,
        canTransferToCard: { const: false },
      }),
      pricing: record({
        rate: { const: 2.5 },
        flat: price,
        dispute: price,
        transfer: record({ toCard: record({ rate: { const: 0 }, flat: price, dispute: price }) }),
      }),
      tds: record({ mode: { const: 'attempt' } }),
    }),
  },
  paths: {
    '/merchants': {
      post: operation({
        summary: 'Create a merchant. The app of the key gets access to it.',
        body: input(
          {
            currency: funding,
            email,
            website,
            descriptor,
            company: input({ country }, { number }),
          },
          { name: optionalName, test: orNull(flag), bank: orNull(input({}, { iban })) },
        ),
        responses: { 201: one },
        errors: [401],
      }),
    },
    '/merchants/{id}': {
      get: operation({
        summary: 'Get a merchant.',
        parameters: [merchant],
        responses: { 200: one },
        errors: [401, 403, 404],
      }),
      put: operation({
        summary:
          'Change `name`, `email` or `descriptor`. All other fields are immutable: they may have only the value that they have already.',
        parameters: [merchant],
        body: input(
          {},
          {
            id: orNull(id),
            key: orNull(uuid),
            name: optionalName,
            currency: { enum: [...funding.enum, null] },
            test: orNull(flag),
            email: orNull(email),
            website: orNull(website),
            descriptor: orNull(descriptor),
            company: orNull(input({}, { country: { enum: [...country.enum, null] }, number })),
            bank: orNull(input({}, { iban })),
          },
        ),
        responses: { 204: empty('The merchant is changed.') },
        errors: [401, 403, 404],
      }),
    },
    '/identities/{id}/merchants': {
      get: operation({
        summary: 'List the merchants of the app of the key, newest first.',
        parameters: [
          inPath('id', 'Id of the app, as returned by `/me`.'),
          ...listParameters,
          flagFilter('test'),
        ],
        responses: { 200: json('The merchants.', listOf('Merchant')) },
        errors: [400, 401, 403, 404],
      }),
    },
  },
};
