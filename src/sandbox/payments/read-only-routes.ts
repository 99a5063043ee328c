import { z } from 'zod';
import type { Queryable } from '../../database/database.ts';
import type { Environment } from '../environment.ts';
import { idFilter, page } from '../http/fields.ts';
import { type DescribedRoute, defineOperation, json } from '../http/operation.ts';
import { listResponse } from '../http/response.ts';
import { caller, recordInPath } from './access.ts';
import { findMerchant } from './merchant-row.ts';
import { listRows } from './rows.ts';

/** A kind of record that callers can read, but not create or change. */
export interface ReadOnlyRecord<Row> {
  /** The name of a single record in a response, for example `fraud`. */
  readonly name: string;
  /** The name in descriptions, for example `fraud alert`. */
  readonly noun: string;
  /** The path of the list, for example `/frauds`. */
  readonly path: string;
  readonly table: string;
  readonly schema: z.ZodType;
  readonly show: (row: Row) => object;
}

/**
 * Lists records by merchant, optionally of one transaction only, and returns single records.
 * Specification: payments, "Operations".
 */
export function readOnlyRoutes<Row extends { id: string; merchant_id: string }>(
  { database }: Environment,
  { name, noun, path, table, schema, show }: ReadOnlyRecord<Row>,
): DescribedRoute[] {
  const byId = async (queryable: Queryable, id: string) => {
    const [row] = await queryable.query<Row>(`SELECT * FROM ${table} WHERE id = $1`, [id]);
    return row;
  };
  return [
    defineOperation({
      method: 'GET',
      path,
      summary: `List the ${noun}s of a merchant, newest first.`,
      subject: caller(database),
      errors: [403, 404],
      query: {
        ...page,
        'filter[merchantId]': idFilter('merchantId'),
        'filter[transactionId]': idFilter('transactionId').optional(),
      },
      responses: { 200: json(`The ${noun}s.`, z.array(schema)) },
      handle: async ({ subject: app, query }) => {
        const { 'filter[merchantId]': merchantId, 'filter[transactionId]': transactionId } = query;
        const merchant = await findMerchant(database, app, merchantId);
        const rows = await listRows<Row>(
          database,
          table,
          `merchant_id = $1${transactionId === undefined ? '' : ' AND transaction_id = $2'}`,
          transactionId === undefined ? [merchant.id] : [merchant.id, transactionId],
          query,
        );
        return rows.map(show);
      },
      respond: listResponse,
    }),
    defineOperation({
      method: 'GET',
      path: `${path}/:id`,
      summary: `Get a ${noun}.`,
      subject: recordInPath(database, byId, name),
      responses: { 200: json(`The ${noun}.`, z.object({ [name]: schema })) },
      handle: async ({ subject }) => ({ [name]: show(subject) }),
    }),
  ];
}
