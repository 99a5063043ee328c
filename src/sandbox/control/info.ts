import { z } from 'zod';
import type { DescribedRoute } from '../http/operation.ts';
import { requireDemoApp } from '../seed/demo-app.ts';
import type { Controlled } from './controlled.ts';
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

/** What is here: addresses, the demo app, its merchants. */
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
