import type { Queryable } from '../../database/database.ts';
import { migrations } from '../migrations/migrations.ts';

/** The snapshot that holds the demo data. Names of other snapshots have no such character. */
const NAME = '#demo';

/** Returns the demo data that the first start stored, if this version of the tables did. */
export async function storedDemoContents(tx: Queryable): Promise<string | undefined> {
  const [stored] = await tx.query<{ contents: string }>(
    'SELECT contents::text AS contents FROM snapshot WHERE name = $1 AND version = $2',
    [NAME, migrations.length],
  );
  return stored?.contents;
}

/** Stores the demo data, so that a reset after a restart is fast, too. */
export async function storeDemoContents(tx: Queryable, contents: string): Promise<void> {
  await tx.query(
    `INSERT INTO snapshot (name, taken, version, ahead_ms, contents) VALUES ($1, now(), $2, 0, $3)
      ON CONFLICT (name) DO UPDATE SET version = excluded.version, contents = excluded.contents`,
    [NAME, migrations.length, contents],
  );
}
