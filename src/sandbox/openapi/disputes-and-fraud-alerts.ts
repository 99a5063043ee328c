import type { DocumentPart } from './document.ts';
import { idFilter, inPath, json, listParameters, operation } from './operation.ts';
import { amount, date, id, listOf, record, ref, type Schema } from './schema.ts';

/** A list of records, and a single one. */
function readOnlyPaths(
  plural: string,
  singular: string,
  schema: string,
  noun: string,
): Record<string, Schema> {
  return {
    [`/${plural}`]: {
      get: operation({
        summary: `List the ${noun}s of a merchant, newest first.`,
        parameters: [...listParameters, idFilter('merchantId', true), idFilter('transactionId')],
        responses: { 200: json(`The ${noun}s.`, listOf(schema)) },
        errors: [400, 401, 403, 404],
      }),
    },
    [`/${plural}/{id}`]: {
      get: operation({
        summary: `Get a ${noun}.`,
        parameters: [inPath('id', `Id of the ${noun}.`)],
        responses: { 200: json(`The ${noun}.`, record({ [singular]: ref(schema) })) },
        errors: [401, 403, 404],
      }),
    },
  };
}

const common = { id, merchantId: id, transactionId: id, created: date };

/** Disputes and fraud alerts. */
export const disputesAndFraudAlerts: DocumentPart = {
  schemas: {
    Dispute: record(
      { ...common, amount },
      { reason: record({ code: { type: 'integer' }, title: { type: 'string' } }), due: date },
    ),
    FraudAlert: record(common, {
      reported: date,
      reason: { type: 'integer', minimum: 0, maximum: 8 },
    }),
  },
  paths: {
    ...readOnlyPaths('disputes', 'dispute', 'Dispute', 'dispute'),
    ...readOnlyPaths('frauds', 'fraud', 'FraudAlert', 'fraud alert'),
  },
};
