import { createHash, timingSafeEqual } from 'node:crypto';
import type { Queryable } from '../../database/database.ts';
import { httpError } from '../http/http-error.ts';
import type { HttpRequest } from '../http/router.ts';

/** The app behind a request. */
export interface CallingApp {
  readonly id: string;
  readonly name: string | null;
  readonly created: Date;
}

/** How keys are looked up: the key itself never stands in a condition. */
export function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/**
 * Reads the app from HTTP Basic with an empty user name and the key as password; 401 otherwise.
 * Specification: payments, "Authentication".
 */
export async function authenticate(
  database: Queryable,
  { authorization }: Pick<HttpRequest, 'authorization'>,
): Promise<CallingApp> {
  const key = readKey(authorization);
  if (key !== undefined) {
    const digest = digestOf(key);
    const [app] = await database.query<CallingApp & { key_digest: string }>(
      'SELECT id, name, created, key_digest FROM app WHERE key_digest = $1',
      [digest],
    );
    if (app !== undefined && timingSafeEqual(Buffer.from(app.key_digest), Buffer.from(digest))) {
      return app;
    }
  }
  throw httpError(
    401,
    'Send the key of an app as the password of HTTP Basic, with an empty user name',
    {
      'www-authenticate': 'Basic realm="payments"',
    },
  );
}

function readKey(authorization: string | undefined): string | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [name, ...password] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return name === '' ? password.join(':') : undefined;
}

/** Ends with 403 unless the app is associated with the merchant. */
async function requireAccess(
  database: Queryable,
  app: CallingApp,
  merchantId: string,
): Promise<void> {
  const rows = await database.query(
    'SELECT 1 FROM merchant_app WHERE app_id = $1 AND merchant_id = $2',
    [app.id, merchantId],
  );
  if (rows.length === 0) throw httpError(403, 'This app has no access to this merchant');
}

/**
 * Answers a record that belongs to a merchant: 404 when there is none, then 403 when
 * it is another's.
 */
export async function accessible<T extends { merchant_id: string }>(
  database: Queryable,
  app: CallingApp,
  record: T | undefined,
  noun: string,
): Promise<T> {
  if (record === undefined) throw httpError(404, `No such ${noun}`);
  await requireAccess(database, app, record.merchant_id);
  return record;
}
