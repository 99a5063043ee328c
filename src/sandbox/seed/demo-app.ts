import type { Queryable } from '../../database/database.ts';
import { singleRow } from '../environment.ts';
import { digestOf } from '../payments/access.ts';

/** The app whose key the startup output shows. */
export interface DemoApp {
  readonly id: string;
  readonly key: string;
}

/** Returns the demo app; undefined in an empty database. */
export async function demoAppOf(tx: Queryable): Promise<DemoApp | undefined> {
  const [app] = await tx.query<DemoApp>('SELECT id, key FROM app JOIN demo_app ON app_id = id');
  return app;
}

/** Returns the demo app, which every database has after the first start. */
export async function requireDemoApp(tx: Queryable): Promise<DemoApp> {
  const app = await demoAppOf(tx);
  if (app === undefined) throw new Error('The database has no demo app.');
  return app;
}

/** Gives the demo app this key. */
export async function changeDemoKey(tx: Queryable, key: string): Promise<DemoApp> {
  const rows = await tx.query<DemoApp>(
    `UPDATE app SET key = $1, key_digest = $2 WHERE id = (SELECT app_id FROM demo_app)
      RETURNING id, key`,
    [key, digestOf(key)],
  );
  return singleRow(rows);
}
