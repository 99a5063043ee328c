import type { Queryable } from '../../database/database.ts';
import type { FindSubject } from '../http/operation.ts';
import { type CallingApp, recordInPath, requireAccess } from './access.ts';

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

async function merchantById(database: Queryable, id: string) {
  const [row] = await database.query<MerchantRow & { merchant_id: string }>(
    'SELECT *, id AS merchant_id FROM merchant WHERE id = $1',
    [id],
  );
  return row;
}
