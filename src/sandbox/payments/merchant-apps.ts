import type { Environment } from '../environment.ts';
import { empty, list } from '../http/answer.ts';
import { required, text } from '../http/fields.ts';
import { readListQuery } from '../http/page.ts';
import { badField, refusal } from '../http/refusal.ts';
import type { Route } from '../http/server.ts';
import { addressedMerchant } from './merchants.ts';
import { pageOf } from './page-of.ts';

/** An app as the list of a merchant's apps shows it, key included. */
interface AppRow {
  readonly id: string;
  readonly name: string | null;
  readonly key: string;
  readonly created: Date;
}

/** Add, revoke and list the apps of a merchant. Specification: payments, "Operations". */
export function merchantAppRoutes(environment: Environment): Route[] {
  const { database } = environment;
  return [
    {
      method: 'POST',
      path: '/merchants/:id/apps',
      handle: async (call) => {
        const { merchant } = await addressedMerchant(environment, call);
        const { appId } = await call.fields({ appId: required(text(1, 1000)) });
        const known = await database.query('SELECT 1 FROM app WHERE id = $1', [appId]);
        if (known.length === 0) throw badField('appId', 'Not an app');
        await database.query(
          'INSERT INTO merchant_app (app_id, merchant_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
          [appId, merchant.id],
        );
        return empty(201);
      },
    },
    {
      method: 'DELETE',
      path: '/merchants/:id/apps/:appId',
      handle: async (call) => {
        const { merchant } = await addressedMerchant(environment, call);
        const removed = await database.query(
          'DELETE FROM merchant_app WHERE merchant_id = $1 AND app_id = $2 RETURNING 1',
          [merchant.id, call.params.appId],
        );
        if (removed.length === 0) throw refusal(404, 'No such app of this merchant');
        return empty(204);
      },
    },
    {
      method: 'GET',
      path: '/merchants/:id/apps',
      handle: async (call) => {
        const { merchant } = await addressedMerchant(environment, call);
        const rows = await pageOf<AppRow>(
          database,
          'app',
          'id IN (SELECT app_id FROM merchant_app WHERE merchant_id = $1)',
          [merchant.id],
          readListQuery(call.query),
        );
        return list(rows.map(({ id, name, key, created }) => ({ id, name, key, created })));
      },
    },
  ];
}
