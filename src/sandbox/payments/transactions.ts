import { z } from 'zod';
import type { Environment } from '../environment.ts';
import { amount, flagFilter, object, page } from '../http/fields.ts';
import { FieldErrors } from '../http/http-error.ts';
import { type DescribedRoute, defineOperation, json } from '../http/operation.ts';
import { listResponse } from '../http/response.ts';
import { recordInPath } from './access.ts';
import { authorise } from './authorise.ts';
import { chargeableCurrency } from './chargeable-currencies.ts';
import { descriptor, id } from './fields.ts';
import { merchantInPath } from './merchant-row.ts';
import { DeclinedPayment, declined } from './processing-errors.ts';
import { listRows } from './rows.ts';
import { findSourceCard, requireOneSource, sourceFields } from './sources.ts';
import {
  showTransaction,
  showTransactions,
  Transaction,
  type TransactionRow,
  transactionById,
} from './transaction-row.ts';

/** Lists, returns and creates transactions. Specification: payments, "Transaction". */
export function transactionRoutes(environment: Environment): DescribedRoute[] {
  return [...readingRoutes(environment), createRoute(environment)];
}

function readingRoutes({ database }: Environment): DescribedRoute[] {
  return [
    defineOperation({
      method: 'GET',
      path: '/merchants/:id/transactions',
      summary: 'List the transactions of a merchant, newest first.',
      subject: merchantInPath(database),
      query: {
        ...page,
        'filter[test]': flagFilter('test'),
        'filter[successful]': flagFilter('successful'),
      },
      responses: { 200: json('The transactions.', z.array(Transaction)) },
      handle: async ({ subject: merchant, query }) => {
        const { 'filter[test]': test, 'filter[successful]': successful } = query;
        const rows = await listRows<TransactionRow>(
          database,
          'transaction',
          `merchant_id = $1${test === undefined ? '' : ` AND test = ${test}`}
            ${successful === undefined ? '' : `AND error_code IS ${successful ? '' : 'NOT '}NULL`}`,
          [merchant.id],
          query,
        );
        return showTransactions(database, rows);
      },
      respond: listResponse,
    }),
    defineOperation({
      method: 'GET',
      path: '/transactions/:id',
      summary: 'Get a transaction.',
      subject: recordInPath(database, transactionById, 'transaction'),
      responses: { 200: json('The transaction.', z.object({ transaction: Transaction })) },
      handle: async ({ subject }) => ({
        transaction: await showTransaction(database, subject),
      }),
    }),
  ];
}

function createRoute(environment: Environment): DescribedRoute {
  const { database } = environment;
  return defineOperation({
    method: 'POST',
    path: '/merchants/:id/transactions',
    summary: 'Create a transaction from a previous one. Using a saved card is deprecated.',
    subject: merchantInPath(database),
    body: {
      ...sourceFields,
      descriptor: descriptor.optional(),
      currency: chargeableCurrency(environment.clock),
      amount,
      custom: object.optional(),
    },
    check: requireOneSource,
    responses: {
      201: json('The id of the transaction.', z.object({ transaction: z.object({ id }) })),
      400: json(
        'The request is invalid, or the payment was declined and stored as failed.',
        z.xor([FieldErrors, DeclinedPayment]),
      ),
    },
    handle: async ({ subject: merchant, body: fields }) => {
      const { amount, currency, descriptor, custom } = fields;
      const card = await findSourceCard(database, merchant.id, fields);
      const payment = { card, merchantInitiated: true, amount, currency, descriptor, custom };
      const row = await database.transaction((tx) =>
        authorise(environment, tx, merchant, { ...payment, tds: 'none' }),
      );
      if (row.error_code !== null) throw declined(row.error_code, row.id);
      return { transaction: { id: row.id } };
    },
  });
}
