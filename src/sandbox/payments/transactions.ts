import { currencies } from '../../tables/currencies.ts';
import type { Queryable } from '../database/database.ts';
import { answer, list } from '../http/answer.ts';
import {
  amount,
  type Fields,
  object,
  oneOf,
  optional,
  type Reader,
  required,
  text,
} from '../http/fields.ts';
import { readListQuery } from '../http/page.ts';
import { badField, type FieldFault } from '../http/refusal.ts';
import type { Route } from '../http/server.ts';
import type { World } from '../world.ts';
import { accessible, authenticate } from './access.ts';
import { authorise, type CardOnFile, cardOf } from './authorise.ts';
import { declined } from './declined.ts';
import { addressedMerchant, paymentDescriptor } from './merchants.ts';
import { pageOf } from './page-of.ts';
import { showOne, showTransactions, type TransactionRow } from './transaction-row.ts';

/** Any currency that is still in use may be charged. */
const chargeable = oneOf((code) => {
  const currency = currencies.get(code);
  return currency !== undefined && !currency.deprecated;
}, 'Not a currency of the published list');

const reference = text(1, 1000);

/** A reference to a source, where `false` and empty text count as absent. */
const source: Reader<string | undefined> = (value) =>
  value === undefined || value === null || value === false || value === ''
    ? undefined
    : reference(value);

const createShape = {
  transactionId: source,
  authorizationId: source,
  cardId: source,
  descriptor: paymentDescriptor,
  currency: required(chargeable),
  amount: required(amount),
  custom: optional(object),
};

/** List, fetch and create transactions. Specification: payments, "Transaction". */
export function transactionRoutes(world: World): Route[] {
  const { database } = world;
  return [
    {
      method: 'GET',
      path: '/merchants/:id/transactions',
      handle: async (call) => {
        const { merchant } = await addressedMerchant(world, call);
        const page = readListQuery(call.query, { test: 'flag', successful: 'flag' });
        const { test, successful } = page.flags;
        const rows = await pageOf<TransactionRow>(
          database,
          'transaction',
          `merchant_id = $1${test === undefined ? '' : ` AND test = ${test}`}
            ${successful === undefined ? '' : `AND (error_code IS NULL) = ${successful}`}`,
          [merchant.id],
          page,
        );
        return list(await showTransactions(database, rows));
      },
    },
    {
      method: 'GET',
      path: '/transactions/:id',
      handle: async (call) => {
        const app = await authenticate(database, call);
        const row = await accessible(
          database,
          app,
          await transactionById(database, call.params.id),
          'transaction',
        );
        return answer(200, { transaction: await showOne(database, row) });
      },
    },
    {
      method: 'POST',
      path: '/merchants/:id/transactions',
      handle: async (call) => {
        const { merchant } = await addressedMerchant(world, call);
        const fields = await call.fields(createShape, oneSource);
        const card = await findSource(database, merchant.id, fields);
        const { amount, currency, descriptor, custom } = fields;
        const row = await database.transaction((tx) =>
          authorise(world, tx, merchant, {
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
        return answer(201, { transaction: { id: row.id } });
      },
    },
  ];
}

/** One transaction by id, whoever asks. */
async function transactionById(database: Queryable, id = ''): Promise<TransactionRow | undefined> {
  const [row] = await database.query<TransactionRow>('SELECT * FROM transaction WHERE id = $1', [
    id,
  ]);
  return row;
}

type Sources = Pick<Fields<typeof createShape>, 'transactionId' | 'authorizationId' | 'cardId'>;

/** A payment needs a source, and not two that differ. */
function oneSource({ transactionId, authorizationId, cardId }: Partial<Sources>): FieldFault[] {
  const id = transactionId ?? authorizationId;
  if (id === undefined) return [{ field: 'transactionId', message: 'Missing' }];
  if (cardId === undefined && (authorizationId ?? id) === id) return [];
  return [{ field: sourceField({ transactionId }), message: 'Takes one source only' }];
}

/** Under which of its two names the caller gave the source. */
function sourceField({ transactionId }: Pick<Sources, 'transactionId'>) {
  return transactionId === undefined ? 'authorizationId' : 'transactionId';
}

/**
 * The card behind a new payment. One sentence covers a source that does not exist, is
 * another merchant's, or failed: nobody learns which.
 */
async function findSource(
  database: Queryable,
  merchantId: string,
  fields: Sources,
): Promise<CardOnFile> {
  const id = (fields.transactionId ?? fields.authorizationId) as string;
  return cardOf(await goodSource(database, merchantId, sourceField(fields), id));
}

/** A successful transaction of the merchant, as the source of payments and saved cards. */
async function goodSource(
  database: Queryable,
  merchantId: string,
  field: string,
  id: string,
): Promise<TransactionRow> {
  const row = await transactionById(database, id);
  if (row === undefined || row.merchant_id !== merchantId || row.error_code !== null) {
    throw badField(field, 'Not a successful transaction of this merchant');
  }
  return row;
}
