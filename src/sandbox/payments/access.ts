import { createHash, timingSafeEqual } from 'node:crypto';
import type { Queryable } from '../../database/database.ts';
import { httpError } from '../http/http-error.ts';
import type { FindSubject } from '../http/operation.ts';
import type { HttpRequest } from '../http/router.ts';

/** The app that sent a request. */
export interface CallingApp {
  readonly id: string;
  readonly name: string | null;
  readonly created: Date;
}

/** Returns the digest by which keys are looked up, so that no condition contains a key. */
export function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/**
 * Returns the app that sent a request. Its key must be the password of HTTP Basic
 * authentication, with an empty user name; throws 401 otherwise.
 *
 * Specification: payments, "Authentication".
 */
async function authenticate(
  database: Queryable,
  { headers: { authorization } }: HttpRequest,
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
    'Send an app key as the password of HTTP Basic authentication, with an empty user name',
    { 'www-authenticate': 'Basic realm="payments"' },
  );
}

function readKey(authorization: string | undefined): string | undefined {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [name, ...password] = Buffer.from(encoded, 'base64').toString('utf8').split(':');
  return name === '' ? password.join(':') : undefined;
}

/** The app that sent a request, as the subject of an operation. */
export function caller(database: Queryable): FindSubject<CallingApp> {
  return { errors: [401], find: (request) => authenticate(database, request) };
}

/**
 * The record whose id is in the path, as the subject of an operation. Checks the key, then whether
 * the record exists, then access.
 */
export function recordInPath<T extends { merchant_id: string }>(
  database: Queryable,
  find: (database: Queryable, id: string) => Promise<T | undefined>,
  noun: string,
): FindSubject<T> {
  return {
    errors: [401, 403, 404],
    find: async (request) => {
      const app = await authenticate(database, request);
      return requireAccess(database, app, await find(database, request.params.id ?? ''), noun);
    },
  };
}

/**
 * Returns a record of a merchant if the app may read it. Throws 404 if the record does not
 * exist, then 403 if the app has no access to its merchant.
 *
 * @param noun what the record is, for the message of the 404
 */
export async function requireAccess<T extends { merchant_id: string }>(
  database: Queryable,
  app: CallingApp,
  record: T | undefined,
  noun: string,
): Promise<T> {
  if (record === undefined) throw httpError(404, `This ${noun} does not exist`);
  const rows = await database.query(
    'SELECT 1 FROM merchant_app WHERE app_id = $1 AND merchant_id = $2',
    [app.id, record.merchant_id],
  );
  if (rows.length === 0) throw httpError(403, 'This app has no access to this merchant');
  return record;
}
