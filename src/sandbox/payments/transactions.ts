import type { Environment } from '../environment.ts';
import { amount, object, oneOf, optional, required } from '../http/fields.ts';
import { readListRequest } from '../http/list-request.ts';
import { jsonResponse, listResponse } from '../http/response.ts';
import type { Route } from '../http/router.ts';
import { authenticate, requireAccess } from './access.ts';
import { authorise } from './authorise.ts';
import { isChargeable } from './chargeable-currencies.ts';
import { declined } from './declined.ts';
import { paymentDescriptor } from './descriptors.ts';
import { listRows } from './list-rows.ts';
import { requireMerchant } from './merchant-row.ts';
import { findSourceCard, requireOneSource, sourceShape } from './sources.ts';
import {
  showTransaction,
  showTransactions,
  type TransactionRow,
  transactionById,
} from './transaction-row.ts';

/** Returns the fields of a new transaction. */
function createShape(now: Date) {
  const hint = 'Must be an active ISO 4217 currency';
  return {
    ...sourceShape,
    descriptor: paymentDescriptor,
    currency: required(oneOf((code) => isChargeable(code, now), hint)),
    amount: required(amount),
    custom: optional(object),
  };
}

/** Lists, returns and creates transactions. Specification: payments, "Transaction". */
export function transactionRoutes(environment: Environment): Route[] {
  const { database } = environment;
  return [
    {
      method: 'GET',
      path: '/merchants/:id/transactions',
      handle: async (request) => {
        const merchant = await requireMerchant(environment, request);
        const input = readListRequest(request.query, { test: 'flag', successful: 'flag' });
        const { test, successful } = input.flags;
        const rows = await listRows<TransactionRow>(
          database,
          'transaction',
          `merchant_id = $1${test === undefined ? '' : ` AND test = ${test}`}
            ${successful === undefined ? '' : `AND error_code IS ${successful ? '' : 'NOT '}NULL`}`,
          [merchant.id],
          input,
        );
        return listResponse(await showTransactions(database, rows));
      },
    },
    {
      method: 'GET',
      path: '/transactions/:id',
      handle: async (request) => {
        const app = await authenticate(database, request);
        const found = await transactionById(database, request.params.id);
        const row = await requireAccess(database, app, found, 'transaction');
        return jsonResponse(200, { transaction: await showTransaction(database, row) });
      },
    },
    {
      method: 'POST',
      path: '/merchants/:id/transactions',
      handle: async (request) => {
        const merchant = await requireMerchant(environment, request);
        const fields = await request.fields(createShape(environment.clock()), requireOneSource);
        const { amount, currency, descriptor, custom } = fields;
        const card = await findSourceCard(database, merchant.id, fields);
        const payment = { card, merchantInitiated: true, amount, currency, descriptor, custom };
        const row = await database.transaction((tx) =>
          authorise(environment, tx, merchant, { ...payment, tds: 'none' }),
        );
        if (row.error_code !== null) throw declined(row.error_code, row.id);
        return jsonResponse(201, { transaction: { id: row.id } });
      },
    },
  ];
}
