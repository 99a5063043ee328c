import { z } from 'zod';
import { currencies } from '../../currencies.ts';
import type { Queryable } from '../../database/database.ts';
import { singleRow } from '../environment.ts';
import { email, flag, oneOf, text } from '../http/fields.ts';
import type { FindSubject } from '../http/operation.ts';
import { type CallingApp, recordInPath, requireAccess } from './access.ts';
import { disputeFee, flatFee } from './exchange.ts';
import { counter, countries, date, descriptor, iban, id, minorUnits, name, yes } from './fields.ts';

/** A stored merchant. `balance` is minor units of `currency`, the funding currency. */
export interface MerchantRow {
  readonly id: string;
  readonly key: string;
  readonly name: string | null;
  readonly currency: string;
  readonly test: boolean;
  readonly email: string;
  readonly website: string;
  readonly descriptor: string;
  readonly country: string;
  readonly company_number: string | null;
  readonly iban: string | null;
  readonly created: Date;
  readonly balance: number;
}

/** The funding currency of a new merchant. */
export const funding = oneOf(
  [...currencies.values()]
    .filter((currency) => currency.funding && !currency.deprecated)
    .map(({ code }) => code),
  'Must be a funding currency',
);
export const country = oneOf(countries, 'Must be an ISO 3166-1 alpha-2 country code');
export const companyNumber = text(1, 50);
export const website = text(1, 2000);

const price = z.object({ currency: funding, amount: counter });

/** A merchant in a response. */
export const Merchant = z
  .object({
    id,
    key: z.uuid(),
    name: name.nullable(),
    currency: funding,
    test: flag,
    email,
    website,
    descriptor,
    company: z.object({ country, number: companyNumber.nullable() }),
    bank: z.object({ iban: iban.nullable() }),
    created: date,
    balance: minorUnits,
    claim: z.object({
      ...{ canChargeCard: yes, canSaveCard: yes, canCapture: yes, canRefund: yes, canVoid: yes },
      canTransferToCard: z.literal(false),
    }),
    pricing: z.object({
      rate: z.literal(2.5),
      flat: price,
      dispute: price,
      transfer: z.object({
        toCard: z.object({ rate: z.literal(0), flat: price, dispute: price }),
      }),
    }),
    tds: z.object({ mode: z.literal('attempt') }),
  })
  .meta({ id: 'Merchant' });
/**
 * Returns a merchant as it appears in responses. `claim`, `pricing` and `tds` are the same for
 * every merchant of a currency.
 */
export function showMerchant(row: MerchantRow) {
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

/** The merchant whose id is in the path, as the subject of an operation. */
export function merchantInPath(database: Queryable): FindSubject<MerchantRow> {
  return recordInPath(database, merchantById, 'merchant');
}

/** Returns a merchant by id. Throws 404 if it does not exist and 403 if the app has no access. */
export async function findMerchant(
  database: Queryable,
  app: CallingApp,
  id: string,
): Promise<MerchantRow> {
  return requireAccess(database, app, await merchantById(database, id), 'merchant');
}

/** Returns a merchant by id, without checking access. */
export async function merchantById(database: Queryable, id: string) {
  const [row] = await database.query<MerchantRow & { merchant_id: string }>(
    'SELECT *, id AS merchant_id FROM merchant WHERE id = $1',
    [id],
  );
  return row;
}

/** Returns the funding currency of the merchant of a transaction. */
export async function fundingCurrency(
  tx: Queryable,
  { merchant_id }: { readonly merchant_id: string },
): Promise<string> {
  const rows = await tx.query<{ currency: string }>('SELECT currency FROM merchant WHERE id = $1', [
    merchant_id,
  ]);
  return singleRow(rows).currency;
}
