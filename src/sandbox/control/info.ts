import { z } from 'zod';
import { found } from '../http/http-error.ts';
import type { DescribedRoute } from '../http/operation.ts';
import { requireDemoApp } from '../seed/demo-app.ts';
import type { Controlled } from './controlled.ts';
import { recordId } from './fields.ts';
import { defineOperation } from './operation.ts';

const output = z
  .object({
    usersUrl: z.url(),
    paymentsUrl: z.url(),
    posUrl: z.url(),
    demoApp: z.object({ id: z.string(), key: z.string() }),
    merchants: z.array(
      z.object({ id: z.string(), name: z.string().nullable(), currency: z.string() }),
    ),
    operations: z.record(z.string(), z.array(z.string())),
  })
  .meta({ id: 'Sandbox' });

/** Returns the addresses, the demo app and its merchants. */
export function infoOperations({
  environment,
  operations,
  addresses,
}: Controlled): DescribedRoute[] {
  const { database } = environment;
  return [
    defineOperation({
      method: 'GET',
      path: '/sandbox',
      summary: 'Get the addresses of the services, the demo app and its merchants.',
      output,
      handle: async () => {
        const demoApp = await requireDemoApp(database);
        const merchants = await database.query(
          `SELECT id, name, currency FROM merchant
            WHERE id IN (SELECT merchant_id FROM merchant_app WHERE app_id = $1) ORDER BY id`,
          [demoApp.id],
        );
        const { posIsLocal: _, ...urls } = addresses;
        return { ...urls, demoApp, merchants, operations };
      },
    }),
  ];
}

/** Hides and shows the keys of apps. */
export function appOperations({ environment }: Controlled): DescribedRoute[] {
  return [
    defineOperation({
      method: 'PUT',
      path: '/apps/:id',
      summary: 'Hide the key of an app in the lists of apps, or show it again.',
      body: z.strictObject({ keyHidden: z.boolean() }),
      output: z.object({ appId: z.string(), keyHidden: z.boolean() }),
      handle: async ({ params, body: { keyHidden } }) => {
        const [row] = await environment.database.query<{ id: string }>(
          'UPDATE app SET key_hidden = $2 WHERE id = $1 RETURNING id',
          [recordId('app').safeParse(params.id).data, keyHidden],
        );
        return { appId: found(row, 'This app').id, keyHidden };
      },
    }),
  ];
}
