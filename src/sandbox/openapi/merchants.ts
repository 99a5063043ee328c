import { currencies } from '../../currencies.ts';
import { countries } from '../payments/countries.ts';
import type { Chapter } from './document.ts';
import { empty, flagFilter, inPath, json, operation, paging } from './operation.ts';
import {
  counter,
  date,
  email,
  flag,
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
const iban = orNull(text(8, 34, '^[A-Z]{2}[A-Z0-9]{6,32}$'));
const website = text(1, 2000);
const descriptor = text(1, 22, '^[ -~]*$');
const price = record({ currency: funding, amount: counter });
const one = json('The merchant', record({ merchant: ref('Merchant') }));
const merchant = inPath('id', 'Id of the merchant');

/** Merchants. */
export const merchants: Chapter = {
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
        summary: 'Create a merchant; the app that asks has access to it',
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
        answers: { 201: one },
        refusals: [401],
      }),
    },
    '/merchants/{id}': {
      get: operation({
        summary: 'One merchant',
        parameters: [merchant],
        answers: { 200: one },
        refusals: [401, 403, 404],
      }),
      put: operation({
        summary: 'Change name, email or descriptor; everything else is immutable',
        parameters: [merchant],
        body: input(
          {},
          { name: optionalName, email: orNull(email), descriptor: orNull(descriptor) },
        ),
        answers: { 204: empty('It is changed') },
        refusals: [401, 403, 404],
      }),
    },
    '/identities/{id}/merchants': {
      get: operation({
        summary: 'The merchants of the app that asks, newest first',
        parameters: [
          inPath('id', 'Id of the app, as `/me` tells it'),
          ...paging,
          flagFilter('test'),
        ],
        answers: { 200: json('The merchants', listOf('Merchant')) },
        refusals: [400, 401, 403, 404],
      }),
    },
  },
};
