import { z } from 'zod';
import type { Queryable } from '../../database/database.ts';
import { type Environment, nextId, singleRow } from '../environment.ts';
import { email, type Fields, flag, flagFilter, page } from '../http/fields.ts';
import { type FieldError, httpError } from '../http/http-error.ts';
import { type DescribedRoute, defineOperation, type FindSubject, json } from '../http/operation.ts';
import { listResponse } from '../http/response.ts';
import { type CallingApp, caller } from './access.ts';
import { descriptor, iban, name } from './fields.ts';
import {
  companyNumber,
  country,
  funding,
  Merchant,
  type MerchantRow,
  merchantInPath,
  showMerchant,
  website,
} from './merchant-row.ts';
import { listRows } from './rows.ts';

/** Whether a new merchant can have this funding currency. */
export function isFundingCurrency(code: string): boolean {
  return funding.safeParse(code).success;
}

const newMerchant = {
  name: name.optional(),
  currency: funding,
  test: flag.optional(),
  email,
  website,
  descriptor,
  'company.country': country,
  'company.number': companyNumber.optional(),
  'bank.iban': iban.optional(),
};

/** The fields of a new merchant. */
export type MerchantInput = Fields<typeof newMerchant>;

const UNCHANGED = 'Cannot be changed';
const unchanged = z.string(UNCHANGED).min(1).optional();

/**
 * The fields of an update. A merchant can be sent back as it was read: an immutable field with the
 * value that it has is accepted. Fields that the sandbox computes are not read.
 */
const merchantUpdate = {
  id: unchanged,
  key: unchanged,
  name: name.optional(),
  currency: unchanged,
  test: z.boolean(UNCHANGED).optional(),
  email: email.optional(),
  website: unchanged,
  descriptor: descriptor.optional(),
  'company.country': unchanged,
  'company.number': unchanged,
  'bank.iban': unchanged,
};

/** Returns an error for each immutable field with another value than the stored one. */
function checkUnchanged(
  sent: Partial<Fields<typeof merchantUpdate>>,
  { id, key, currency, test, website, country, company_number, iban }: MerchantRow,
): FieldError[] {
  const stored = {
    ...{ id, key, currency, test, website },
    ...{ 'company.country': country, 'company.number': company_number, 'bank.iban': iban },
  };
  // The keys of `stored` are those of the object above.
  return (Object.keys(stored) as (keyof typeof stored)[])
    .filter((field) => sent[field] !== undefined && sent[field] !== stored[field])
    .map((field) => ({ field, message: UNCHANGED }));
}

const one = json('The merchant.', z.object({ merchant: Merchant }));

/** Creates, lists, returns and updates merchants. Specification: payments, "Merchant". */
export function merchantRoutes(environment: Environment): DescribedRoute[] {
  return [...readingRoutes(environment), ...writingRoutes(environment)];
}

function readingRoutes({ database }: Environment): DescribedRoute[] {
  return [
    defineOperation({
      method: 'GET',
      path: '/identities/:id/merchants',
      summary:
        'List the merchants of the app of the key, newest first. `id` is the id of the app, as returned by `/me`.',
      subject: ownIdentity(database),
      query: { ...page, 'filter[test]': flagFilter('test') },
      responses: { 200: json('The merchants.', z.array(Merchant)) },
      handle: async ({ subject: app, query }) => {
        const test = query['filter[test]'];
        const merchants = await listRows<MerchantRow>(
          database,
          'merchant',
          `id IN (SELECT merchant_id FROM merchant_app WHERE app_id = $1)
            ${test === undefined ? '' : `AND test = ${test}`}`,
          [app.id],
          query,
        );
        return merchants.map(showMerchant);
      },
      respond: listResponse,
    }),
    defineOperation({
      method: 'GET',
      path: '/merchants/:id',
      summary: 'Get a merchant.',
      subject: merchantInPath(database),
      responses: { 200: one },
      handle: async ({ subject }) => ({ merchant: showMerchant(subject) }),
    }),
  ];
}

function writingRoutes(environment: Environment): DescribedRoute[] {
  const { database } = environment;
  return [
    defineOperation({
      method: 'POST',
      path: '/merchants',
      summary: 'Create a merchant. The app of the key gets access to it.',
      subject: caller(database),
      body: newMerchant,
      responses: { 201: one },
      handle: async ({ subject: app, body }) => {
        const merchant = await database.transaction((tx) =>
          createMerchant(environment, tx, app.id, body),
        );
        return { merchant: showMerchant(merchant) };
      },
    }),
    defineOperation({
      method: 'PUT',
      path: '/merchants/:id',
      summary:
        'Change `name`, `email` or `descriptor`. All other fields are immutable: they may have only the value that they have already.',
      subject: merchantInPath(database),
      body: merchantUpdate,
      check: checkUnchanged,
      responses: { 204: { description: 'The merchant is changed.' } },
      handle: async ({ subject: merchant, body: fields }) => {
        await database.query(
          `UPDATE merchant SET name = coalesce($2, name), email = coalesce($3, email),
            descriptor = coalesce($4, descriptor) WHERE id = $1`,
          [merchant.id, fields.name ?? null, fields.email ?? null, fields.descriptor ?? null],
        );
      },
    }),
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

/** The app whose id is in the path, as the subject of an operation. It must be the caller. */
function ownIdentity(database: Queryable): FindSubject<CallingApp> {
  return {
    errors: [401, 403, 404],
    find: async (request) => {
      const app = await caller(database).find(request);
      if (request.params.id === app.id) return app;
      const known = await database.query('SELECT 1 FROM app WHERE id = $1', [request.params.id]);
      throw known.length === 0
        ? httpError(404, 'This app does not exist')
        : httpError(403, 'An app can list only its own merchants');
    },
  };
}
