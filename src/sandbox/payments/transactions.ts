import { currencies } from '../../currencies.ts';
import type { Environment } from '../environment.ts';
import { amount, object, oneOf, optional, required } from '../http/fields.ts';
import { readListRequest } from '../http/list-request.ts';
import { jsonResponse, listResponse } from '../http/response.ts';
import type { Route } from '../http/router.ts';
import { accessible, authenticate } from './access.ts';
import { authorise } from './authorise.ts';
import { declined } from './declined.ts';
import { listRows } from './list-rows.ts';
import { paymentDescriptor, requireMerchant } from './merchants.ts';
import { findSource, oneSource, sourceShape, transactionById } from './sources.ts';
import { showOne, showTransactions, type TransactionRow } from './transaction-row.ts';

/** Any currency that is still in use may be charged. */
const chargeable = oneOf((code) => {
  const currency = currencies.get(code);
  return currency !== undefined && !currency.deprecated;
}, 'Not a currency of the published list');

const createShape = {
  ...sourceShape,
  descriptor: paymentDescriptor,
  currency: required(chargeable),
  amount: required(amount),
  custom: optional(object),
};

/** List, fetch and create transactions. Specification: payments, "Transaction". */
export function transactionRoutes(environment: Environment): Route[] {
  const { database } = environment;
  return [
    {
      method: 'GET',
      path: '/merchants/:id/transactions',
      handle: async (request) => {
        const { merchant } = await requireMerchant(environment, request);
        const page = readListRequest(request.query, { test: 'flag', successful: 'flag' });
        const { test, successful } = page.flags;
        const rows = await listRows<TransactionRow>(
          database,
          'transaction',
          `merchant_id = $1${test === undefined ? '' : ` AND test = ${test}`}
            ${successful === undefined ? '' : `AND error_code IS ${successful ? '' : 'NOT '}NULL`}`,
          [merchant.id],
          page,
        );
        return listResponse(await showTransactions(database, rows));
      },
    },
    {
      method: 'GET',
      path: '/transactions/:id',
      handle: async (request) => {
        const app = await authenticate(database, request);
        const row = await accessible(
          database,
          app,
          await transactionById(database, request.params.id),
          'transaction',
        );
        return jsonResponse(200, { transaction: await showOne(database, row) });
      },
    },
    {
      method: 'POST',
      path: '/merchants/:id/transactions',
      handle: async (request) => {
        const { merchant } = await requireMerchant(environment, request);
        const fields = await request.fields(createShape, oneSource);
        const card = await findSource(database, merchant.id, fields);
        const { amount, currency, descriptor, custom } = fields;
        const row = await database.transaction((tx) =>
          authorise(environment, tx, merchant, {
            card,
            later: true,
            amount,
            currency,
            descriptor,
            custom,
            tds: 'none',
          }),
        );
        if (row.error_code !== null) throw declined(row.error_code, row.id);
        return jsonResponse(201, { transaction: { id: row.id } });
      },
    },
  ];
}
