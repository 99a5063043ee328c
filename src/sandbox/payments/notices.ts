import type { Queryable } from '../../database/database.ts';
import type { Environment } from '../environment.ts';
import { readListRequest } from '../http/list-request.ts';
import { type HttpResponse, jsonResponse, listResponse } from '../http/response.ts';
import type { HttpRequest, Route } from '../http/router.ts';
import { accessible, authenticate } from './access.ts';
import { type DisputeRow, disputeReason } from './disputes.ts';
import { listRows } from './list-rows.ts';
import { findMerchant } from './merchants.ts';

/** A fraud alert as it is stored. */
interface FraudAlertRow {
  readonly id: string;
  readonly merchant_id: string;
  readonly transaction_id: string;
  readonly created: Date;
  readonly reason: number;
}

const DUE_AFTER_MS = 14 * 24 * 3600 * 1000;

/** Disputes and fraud alerts: records that nobody makes by a request, only reads. */
export function noticeRoutes(environment: Environment): Route[] {
  return [
    ...readOnly<DisputeRow>(environment, 'disputes', 'dispute', 'dispute', showDispute),
    ...readOnly<FraudAlertRow>(environment, 'frauds', 'fraud', 'fraud_alert', showFraudAlert),
  ];
}

/** List by merchant, perhaps of one transaction, and fetch. Specification: payments, "Operations". */
function readOnly<Row extends { id: string; merchant_id: string }>(
  environment: Environment,
  plural: string,
  singular: string,
  table: string,
  show: (row: Row) => object,
): Route[] {
  const { database } = environment;
  async function one(request: HttpRequest): Promise<HttpResponse> {
    const app = await authenticate(database, request);
    const row = await byId<Row>(database, table, request.params.id);
    return jsonResponse(200, { [singular]: show(await accessible(database, app, row, singular)) });
  }
  async function many(request: HttpRequest): Promise<HttpResponse> {
    const app = await authenticate(database, request);
    const page = readListRequest(request.query, { merchantId: 'required id', transactionId: 'id' });
    const merchant = await findMerchant(database, app, page.ids.merchantId ?? '');
    const { transactionId } = page.ids;
    const rows = await listRows<Row>(
      database,
      table,
      `merchant_id = $1${transactionId === undefined ? '' : ' AND transaction_id = $2'}`,
      transactionId === undefined ? [merchant.id] : [merchant.id, transactionId],
      page,
    );
    return listResponse(rows.map(show));
  }
  return [
    { method: 'GET', path: `/${plural}`, handle: many },
    { method: 'GET', path: `/${plural}/:id`, handle: one },
  ];
}

async function byId<Row>(database: Queryable, table: string, id = ''): Promise<Row | undefined> {
  const [row] = await database.query<Row>(`SELECT * FROM ${table} WHERE id = $1`, [id]);
  return row;
}

function showDispute(row: DisputeRow) {
  return {
    id: row.id,
    merchantId: row.merchant_id,
    transactionId: row.transaction_id,
    created: row.created,
    amount: row.amount,
    reason: disputeReason,
    due: new Date(row.created.getTime() + DUE_AFTER_MS),
  };
}

function showFraudAlert(row: FraudAlertRow) {
  return {
    id: row.id,
    merchantId: row.merchant_id,
    transactionId: row.transaction_id,
    created: row.created,
    reported: row.created,
    reason: row.reason,
  };
}
