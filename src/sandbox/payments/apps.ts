import { z } from 'zod';
import type { Queryable } from '../../database/database.ts';
import { type Environment, nextId } from '../environment.ts';
import { type DescribedRoute, defineOperation, json } from '../http/operation.ts';
import { caller, digestOf } from './access.ts';
import { date, id, name } from './fields.ts';

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
