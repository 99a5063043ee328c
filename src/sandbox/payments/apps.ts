import { z } from 'zod';
import type { Queryable } from '../../database/database.ts';
import { type Environment, nextId } from '../environment.ts';
import { page } from '../http/fields.ts';
import { httpError, invalidField } from '../http/http-error.ts';
import { type DescribedRoute, defineOperation, json } from '../http/operation.ts';
import { listResponse } from '../http/response.ts';
import { caller, digestOf } from './access.ts';
import { date, id, name, reference } from './fields.ts';
import { merchantInPath } from './merchant-row.ts';
import { listRows } from './rows.ts';

const CreatedApp = z
  .object({ id, name: name.nullable(), key: z.uuid() })
  .meta({ id: 'CreatedApp' });
const Identity = z.object({ id, name: name.nullable(), created: date }).meta({ id: 'Identity' });

/** A new app with its key, as its creator receives it. */
export type CreatedApp = z.output<typeof CreatedApp>;

/** Creates an app, and returns the app of the caller. Specification: payments, "App", "Identity". */
export function appRoutes(environment: Environment): DescribedRoute[] {
  const { database } = environment;
  return [
    defineOperation({
      method: 'POST',
      path: '/apps',
      summary: 'Create an app. Requires no key.',
      body: { name: name.optional() },
      responses: { 201: json('The app with its key.', z.object({ app: CreatedApp })) },
      handle: async ({ body: { name = null } }) => ({
        app: await database.transaction((tx) => createApp(environment, tx, name)),
      }),
    }),
    defineOperation({
      method: 'GET',
      path: '/me',
      summary: 'Get the app of the key.',
      subject: caller(database),
      responses: { 200: json('The app.', z.object({ identity: Identity })) },
      handle: async ({ subject: { id, name, created } }) => ({ identity: { id, name, created } }),
    }),
  ];
}

/** Inserts a new app. Without `key` it gets a new one. */
export async function createApp(
  environment: Environment,
  tx: Queryable,
  name: string | null,
  key: string = environment.uuid(),
): Promise<CreatedApp> {
  const id = await nextId(environment, tx);
  await tx.query(
    'INSERT INTO app (id, name, key, key_digest, created) VALUES ($1, $2, $3, $4, $5)',
    [id, name, key, digestOf(key), environment.clock()],
  );
  return { id, name, key };
}

/** An app in the list of a merchant's apps, including its key unless that is hidden. */
interface AppRow {
  readonly id: string;
  readonly name: string | null;
  readonly key: string;
  readonly key_hidden: boolean;
  readonly created: Date;
}

const App = z
  .object({
    ...{ id, name: name.nullable(), created: date },
    key: z.string().min(1).max(200).optional(),
  })
  .meta({ id: 'App' });

/** Adds, revokes and lists the apps of a merchant. Specification: payments, "Operations". */
export function merchantAppRoutes(environment: Environment): DescribedRoute[] {
  const { database } = environment;
  return [
    defineOperation({
      method: 'POST',
      path: '/merchants/:id/apps',
      summary: 'Give an app access to a merchant.',
      subject: merchantInPath(database),
      body: { appId: reference },
      responses: { 201: { description: 'The app has access.' } },
      handle: async ({ subject: merchant, body: { appId } }) => {
        const known = await database.query('SELECT 1 FROM app WHERE id = $1', [appId]);
        if (known.length === 0) throw invalidField('appId', 'Must be the id of an app');
        await database.query(
          'INSERT INTO merchant_app (app_id, merchant_id) VALUES ($1, $2) ON CONFLICT DO NOTHING',
          [appId, merchant.id],
        );
      },
    }),
    defineOperation({
      method: 'DELETE',
      path: '/merchants/:id/apps/:appId',
      summary: "Revoke an app's access to a merchant.",
      subject: merchantInPath(database),
      responses: { 204: { description: 'The app no longer has access.' } },
      handle: async ({ subject: merchant, params }) => {
        const removed = await database.query(
          'DELETE FROM merchant_app WHERE merchant_id = $1 AND app_id = $2 RETURNING 1',
          [merchant.id, params.appId],
        );
        if (removed.length === 0) throw httpError(404, 'This merchant has no such app');
      },
    }),
    defineOperation({
      method: 'GET',
      path: '/merchants/:id/apps',
      summary: 'List the apps of a merchant, newest first.',
      subject: merchantInPath(database),
      query: page,
      responses: { 200: json('The apps.', z.array(App)) },
      handle: async ({ subject: merchant, query }) => {
        const rows = await listRows<AppRow>(
          database,
          'app',
          'id IN (SELECT app_id FROM merchant_app WHERE merchant_id = $1)',
          [merchant.id],
          query,
        );
        return rows.map(showApp);
      },
      respond: listResponse,
    }),
  ];
}

function showApp({ id, name, key, key_hidden, created }: AppRow) {
  return { id, name, ...(key_hidden ? {} : { key }), created };
}
