import type { Environment } from '../environment.ts';
import { required, text } from '../http/fields.ts';
import { httpError, invalidField } from '../http/http-error.ts';
import { readListRequest } from '../http/list-request.ts';
import { emptyResponse, listResponse } from '../http/response.ts';
import type { Route } from '../http/router.ts';
import { listRows } from './list-rows.ts';
import { requireMerchant } from './merchant-row.ts';

/** An app in the list of a merchant's apps, including its key unless that is hidden. */
interface AppRow {
  readonly id: string;
  readonly name: string | null;
  readonly key: string;
  readonly key_hidden: boolean;
  readonly created: Date;
}

/** Adds, revokes and lists the apps of a merchant. Specification: payments, "Operations". */
export function merchantAppRoutes(environment: Environment): Route[] {
  const { database } = environment;
  return [
    {
      method: 'POST',
      path: '/merchants/:id/apps',
      handle: async (request) => {
        const merchant = await requireMerchant(environment, request);
        const { appId } = await request.fields({ appId: required(text(1, 1000)) });
        const known = await database.query('SELECT 1 FROM app WHERE id = $1', [appId]);
        if (known.length === 0) throw invalidField('appId', 'Must be the id of an app');
        await database.query(
          'INSERT INTO merchant_app (app_id, merchant_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
          [appId, merchant.id],
        );
        return emptyResponse(201);
      },
    },
    {
      method: 'DELETE',
      path: '/merchants/:id/apps/:appId',
      handle: async (request) => {
        const merchant = await requireMerchant(environment, request);
        const removed = await database.query(
          'DELETE FROM merchant_app WHERE merchant_id = $1 AND app_id = $2 RETURNING 1',
          [merchant.id, request.params.appId],
        );
        if (removed.length === 0) throw httpError(404, 'This merchant has no such app');
        return emptyResponse(204);
      },
    },
    {
      method: 'GET',
      path: '/merchants/:id/apps',
      handle: async (request) => {
        const merchant = await requireMerchant(environment, request);
        const rows = await listRows<AppRow>(
          database,
          'app',
          'id IN (SELECT app_id FROM merchant_app WHERE merchant_id = $1)',
          [merchant.id],
          readListRequest(request.query),
        );
        return listResponse(rows.map(showApp));
      },
    },
  ];
}

function showApp({ id, name, key, key_hidden, created }: AppRow) {
  return { id, name, ...(key_hidden ? {} : { key }), created };
}
