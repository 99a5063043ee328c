import { currencies } from '../../currencies.ts';
import type { Queryable } from '../../database/database.ts';
import { type Environment, nextId } from '../environment.ts';
import { email, type Fields, flag, oneOf, optional, required, text } from '../http/fields.ts';
import { httpError } from '../http/http-error.ts';
import { readListRequest } from '../http/list-request.ts';
import { emptyResponse, jsonResponse, listResponse } from '../http/response.ts';
import type { Route } from '../http/router.ts';
import { singleRow } from '../single-row.ts';
import { authenticate, type CallingApp } from './access.ts';
import { countries } from './countries.ts';
import { merchantDescriptor } from './descriptors.ts';
import { disputeFee, flatFee } from './exchange.ts';
import { listRows } from './list-rows.ts';
import { type MerchantRow, requireMerchant } from './merchant-row.ts';
import { updateShape } from './merchant-update.ts';

/** Whether a new merchant can have this funding currency. */
export function isFundingCurrency(code: string): boolean {
  const currency = currencies.get(code);
  return currency?.funding === true && !currency.deprecated;
}

const createShape = {
  name: optional(text(1, 200)),
  currency: required(oneOf(isFundingCurrency, 'Must be a funding currency')),
  test: optional(flag),
  email: required(email),
  website: required(text(1, 2000)),
  descriptor: required(merchantDescriptor),
  'company.country': required(
    oneOf((code) => countries.has(code), 'Must be an ISO 3166-1 alpha-2 country code'),
  ),
  'company.number': optional(text(1, 50)),
  'bank.iban': optional(text(3, 34, /^[A-Z]{2}[A-Z0-9]+$/, 'Must be an IBAN')),
};

/** The fields of a new merchant. */
export type MerchantInput = Fields<typeof createShape>;

/** Creates, lists, returns and updates merchants. Specification: payments, "Merchant". */
export function merchantRoutes(environment: Environment): Route[] {
  const { database } = environment;
  return [
    {
      method: 'POST',
      path: '/merchants',
      handle: async (request) => {
        const app = await authenticate(database, request);
        const input = await request.fields(createShape);
        const merchant = await database.transaction((tx) =>
          createMerchant(environment, tx, app.id, input),
        );
        return jsonResponse(201, { merchant: showMerchant(merchant) });
      },
    },
    {
      method: 'GET',
      path: '/identities/:id/merchants',
      handle: async (request) => {
        const app = await authenticate(database, request);
        await requireOwnIdentity(database, app, request.params.id);
        const input = readListRequest(request.query, { test: 'flag' });
        const { test } = input.flags;
        const merchants = await listRows<MerchantRow>(
          database,
          'merchant',
          `id IN (SELECT merchant_id FROM merchant_app WHERE app_id = $1)
            ${test === undefined ? '' : `AND test = ${test}`}`,
          [app.id],
          input,
        );
        return listResponse(merchants.map(showMerchant));
      },
    },
    {
      method: 'GET',
      path: '/merchants/:id',
      handle: async (request) => {
        const merchant = await requireMerchant(environment, request);
        return jsonResponse(200, { merchant: showMerchant(merchant) });
      },
    },
    {
      method: 'PUT',
      path: '/merchants/:id',
      handle: async (request) => {
        const merchant = await requireMerchant(environment, request);
        const fields = await request.fields(updateShape(merchant));
        await database.query(
          `UPDATE merchant SET name = coalesce($2, name), email = coalesce($3, email),
            descriptor = coalesce($4, descriptor) WHERE id = $1`,
          [merchant.id, fields.name ?? null, fields.email ?? null, fields.descriptor ?? null],
        );
        return emptyResponse(204);
      },
    },
  ];
}

/** Inserts a new merchant and gives the app that creates it access. */
export async function createMerchant(
  environment: Environment,
  tx: Queryable,
  appId: string,
  input: MerchantInput,
): Promise<MerchantRow> {
  const rows = await tx.query<MerchantRow>(
    `INSERT INTO merchant (id, key, name, currency, test, email, website, descriptor, country,
      company_number, iban, created) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
      RETURNING *`,
    [
      await nextId(environment, tx),
      environment.uuid(),
      input.name ?? null,
      input.currency,
      input.test ?? false,
      input.email,
      input.website,
      input.descriptor,
      input['company.country'],
      input['company.number'] ?? null,
      input['bank.iban'] ?? null,
      environment.clock(),
    ],
  );
  const merchant = singleRow(rows);
  await tx.query('INSERT INTO merchant_app (app_id, merchant_id) VALUES ($1, $2)', [
    appId,
    merchant.id,
  ]);
  return merchant;
}

async function requireOwnIdentity(database: Queryable, app: CallingApp, id = ''): Promise<void> {
  if (id === app.id) return;
  const known = await database.query('SELECT 1 FROM app WHERE id = $1', [id]);
  throw known.length === 0
    ? httpError(404, 'This app does not exist')
    : httpError(403, 'An app can list only its own merchants');
}

/**
 * Returns a merchant as it appears in responses. `claim`, `pricing` and `tds` are the same for
 * every merchant of a currency.
 */
function showMerchant(row: MerchantRow) {
  const { currency } = row;
  const zero = { currency, amount: 0 };
  return {
    id: row.id,
    key: row.key,
    name: row.name,
    currency,
    test: row.test,
    email: row.email,
    website: row.website,
    descriptor: row.descriptor,
    company: { country: row.country, number: row.company_number },
    bank: { iban: row.iban },
    created: row.created,
    balance: row.balance,
    claim: {
      canChargeCard: true,
      canSaveCard: true,
      canCapture: true,
      canRefund: true,
      canVoid: true,
      canTransferToCard: false,
    },
    pricing: {
      rate: 2.5,
      flat: { currency, amount: flatFee(currency) },
      dispute: { currency, amount: disputeFee(currency) },
      transfer: { toCard: { rate: 0, flat: zero, dispute: zero } },
    },
    tds: { mode: 'attempt' },
  };
}
