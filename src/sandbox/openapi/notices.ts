import type { Chapter } from './document.ts';
import { idFilter, inPath, json, operation, paging } from './operation.ts';
import { amount, date, id, listOf, record, ref, type Schema } from './schema.ts';

/** The list and the single record of a notice. */
function readOnly(plural: string, singular: string, schema: string): Record<string, Schema> {
  return {
    [`/${plural}`]: {
      get: operation({
        summary: `The ${plural} of a merchant, newest first`,
        parameters: [...paging, idFilter('merchantId', true), idFilter('transactionId')],
        answers: { 200: json('The records', listOf(schema)) },
        refusals: [400, 401, 403, 404],
      }),
    },
    [`/${plural}/{id}`]: {
      get: operation({
        summary: `One record of the ${plural}`,
        parameters: [inPath('id', 'Id of the record')],
        answers: { 200: json('The record', record({ [singular]: ref(schema) })) },
        refusals: [401, 403, 404],
      }),
    },
  };
}

const common = { id, merchantId: id, transactionId: id, created: date };

/** Disputes and fraud alerts. */
export const notices: Chapter = {
  schemas: {
    Dispute: record({
      ...common,
      amount,
      reason: record({ code: { type: 'integer' }, title: { type: 'string' } }),
      due: date,
    }),
    FraudAlert: record({
      ...common,
      reported: date,
      reason: { type: 'integer', minimum: 0, maximum: 8 },
    }),
  },
  paths: {
    ...readOnly('disputes', 'dispute', 'Dispute'),
    ...readOnly('frauds', 'fraud', 'FraudAlert'),
  },
};
