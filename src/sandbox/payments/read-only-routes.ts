import type { Environment } from '../environment.ts';
import { readListRequest } from '../http/list-request.ts';
import { jsonResponse, listResponse } from '../http/response.ts';
import type { HttpRequest, Route } from '../http/router.ts';
import { authenticate, requireAccess } from './access.ts';
import { listRows } from './list-rows.ts';
import { findMerchant } from './merchant-row.ts';

/** A kind of record that callers can read, but not create or change. */
export interface ReadOnlyRecord<Row> {
  /** The name of a single record in a response, for example `dispute`. */
  readonly name: string;
  /** The path of the list, for example `/disputes`. */
  readonly path: string;
  readonly table: string;
  readonly show: (row: Row) => object;
}

/**
 * Lists records by merchant, optionally of one transaction only, and returns single records.
 * Specification: payments, "Operations".
 */
export function readOnlyRoutes<Row extends { id: string; merchant_id: string }>(
  { database }: Environment,
  { name, path, table, show }: ReadOnlyRecord<Row>,
): Route[] {
  async function list(request: HttpRequest) {
    const app = await authenticate(database, request);
    const input = readListRequest(request.query, {
      merchantId: 'required id',
      transactionId: 'id',
    });
    const { merchantId = '', transactionId } = input.ids;
    const merchant = await findMerchant(database, app, merchantId);
    const rows = await listRows<Row>(
      database,
      table,
      `merchant_id = $1${transactionId === undefined ? '' : ' AND transaction_id = $2'}`,
      transactionId === undefined ? [merchant.id] : [merchant.id, transactionId],
      input,
    );
    return listResponse(rows.map(show));
  }
  async function get(request: HttpRequest) {
    const app = await authenticate(database, request);
    const [found] = await database.query<Row>(`SELECT * FROM ${table} WHERE id = $1`, [
      request.params.id,
    ]);
    const row = await requireAccess(database, app, found, name);
    return jsonResponse(200, { [name]: show(row) });
  }
  return [
    { method: 'GET', path, handle: list },
    { method: 'GET', path: `${path}/:id`, handle: get },
  ];
}
