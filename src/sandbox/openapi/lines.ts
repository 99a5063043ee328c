import type { DocumentPart } from './document.ts';
import { flagFilter, inPath, json, listParameters, operation } from './operation.ts';
import {
  counter,
  date,
  flag,
  iban,
  id,
  listOf,
  minorUnits,
  record,
  ref,
  type Schema,
  yes,
} from './schema.ts';
import { known } from './transactions.ts';

const common = {
  id,
  created: date,
  merchantId: id,
  test: flag,
  balance: minorUnits,
  fee: minorUnits,
  description: { type: 'string' },
};

/** A line of a transaction. `kind` has the properties that only lines of this kind have. */
function line(kind: Readonly<Record<string, Schema>>): Schema {
  const amount = record({ currency: known, amount: counter });
  return record({ ...common, transactionId: id, amount, ...kind });
}

/** A line that takes money from the balance and sends it to the merchant's bank account. */
const payout = record({
  ...common,
  balance: { type: 'integer', maximum: -1 },
  fee: { const: 0 },
  payout: yes,
  bank: record({ iban }),
});

/** The lines of a merchant's balance. */
export const lines: DocumentPart = {
  schemas: {
    Line: {
      oneOf: [
        line({ capture: yes }),
        line({ refund: yes }),
        line({ dispute: yes, disputeId: id, balance: { const: 0 }, fee: { const: 0 } }),
        line({ dispute: yes, disputeId: id, won: yes }),
        line({ dispute: yes, disputeId: id, lost: yes }),
        payout,
      ],
    },
  },
  paths: {
    '/merchants/{id}/lines': {
      get: operation({
        summary: 'List the lines of a merchant, newest first.',
        parameters: [inPath('id', 'Id of the merchant.'), ...listParameters, flagFilter('test')],
        responses: { 200: json('The lines.', listOf('Line')) },
        errors: [400, 401, 403, 404],
      }),
    },
    '/lines/{id}': {
      get: operation({
        summary: 'Get a line.',
        parameters: [inPath('id', 'Id of the line.')],
        responses: { 200: json('The line.', ref('Line')) },
        errors: [401, 403, 404],
      }),
    },
  },
};
