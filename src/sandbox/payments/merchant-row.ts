import type { Queryable } from '../../database/database.ts';
import type { Environment } from '../environment.ts';
import type { HttpRequest } from '../http/router.ts';
import { authenticate, type CallingApp, requireAccess } from './access.ts';

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

/**
 * Returns the merchant whose id is in the path of a request. Throws 401 without a valid key, 404
 * if the merchant does not exist and 403 if the app has no access to it.
 */
export async function requireMerchant(
  { database }: Environment,
  request: HttpRequest,
): Promise<MerchantRow> {
  const app = await authenticate(database, request);
  return findMerchant(database, app, request.params.id ?? '');
}

/** Returns a merchant by id. Throws 404 if it does not exist and 403 if the app has no access. */
export async function findMerchant(
  database: Queryable,
  app: CallingApp,
  id: string,
): Promise<MerchantRow> {
  const [row] = await database.query<MerchantRow & { merchant_id: string }>(
    'SELECT *, id AS merchant_id FROM merchant WHERE id = $1',
    [id],
  );
  return requireAccess(database, app, row, 'merchant');
}
