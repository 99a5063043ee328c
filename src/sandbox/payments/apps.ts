import type { Queryable } from '../../database/database.ts';
import { type Environment, nextId } from '../environment.ts';
import { optional, text } from '../http/fields.ts';
import { jsonResponse } from '../http/response.ts';
import type { Route } from '../http/router.ts';
import { authenticate, digestOf } from './access.ts';

/** A new app with its key, as its creator receives it. */
export interface CreatedApp {
  readonly id: string;
  readonly name: string | null;
  readonly key: string;
}

const shape = { name: optional(text(1, 200)) };

/** Creates an app, and returns the app of the caller. Specification: payments, "App", "Identity". */
export function appRoutes(environment: Environment): Route[] {
  const { database } = environment;
  return [
    {
      method: 'POST',
      path: '/apps',
      handle: async (request) => {
        const { name } = await request.fields(shape);
        const app = await database.transaction((tx) => createApp(environment, tx, name ?? null));
        return jsonResponse(201, { app });
      },
    },
    {
      method: 'GET',
      path: '/me',
      handle: async (request) => {
        const { id, name, created } = await authenticate(database, request);
        return jsonResponse(200, { identity: { id, name, created } });
      },
    },
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
