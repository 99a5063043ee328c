import type { Chapter } from './document.ts';
import { flagFilter, inPath, json, operation, paging } from './operation.ts';
import {
  counter,
  date,
  flag,
  id,
  listOf,
  minorUnits,
  record,
  ref,
  type Schema,
  yes,
} from './schema.ts';
import { chargeable } from './transactions.ts';

/** A line of one kind; `kind` has what only such lines have. */
function line(kind: Readonly<Record<string, Schema>>): Schema {
  return record({
    id,
    created: date,
    merchantId: id,
    test: flag,
    balance: minorUnits,
    fee: minorUnits,
    transactionId: id,
    amount: record({ currency: chargeable, amount: counter }),
    description: { type: 'string' },
    ...kind,
  });
}

/** The entries of a merchant's balance. */
export const lines: Chapter = {
  schemas: {
    Line: {
      oneOf: [
        line({ capture: yes }),
        line({ refund: yes }),
        line({ dispute: yes, disputeId: id, balance: { const: 0 }, fee: { const: 0 } }),
        line({ dispute: yes, disputeId: id, won: yes }),
        line({ dispute: yes, disputeId: id, lost: yes }),
      ],
    },
  },
  paths: {
    '/merchants/{id}/lines': {
      get: operation({
        summary: 'The lines of a merchant, newest first',
        parameters: [inPath('id', 'Id of the merchant'), ...paging, flagFilter('test')],
        answers: { 200: json('The lines', listOf('Line')) },
        refusals: [400, 401, 403, 404],
      }),
    },
    '/lines/{id}': {
      get: operation({
        summary: 'One line',
        parameters: [inPath('id', 'Id of the line')],
        answers: { 200: json('The line', ref('Line')) },
        refusals: [401, 403, 404],
      }),
    },
  },
};
