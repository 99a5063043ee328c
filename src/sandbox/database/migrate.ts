import { migrations } from '../migrations/migrations.ts';
import type { Database, Queryable } from './database.ts';

/** Any number that every sandbox agrees on; keeps two of them from migrating at once. */
const MIGRATION_LOCK = 7_112_001;

/** Thrown when the data was written by a newer sandbox than this one. */
class NewerDatabaseError extends Error {
  constructor(found: number, known: number) {
    super(
      `The sandbox's data is of version ${found}, this sandbox knows versions up to ${known}. ` +
        'Use a newer Tillgraph, or another DATA_DIR or SANDBOX_DATABASE_URL.',
    );
  }
}

/** Brings a database up to date, one transaction a migration; refuses one from the future. */
export async function migrate(database: Database): Promise<void> {
  await locked(database, async (tx) => {
    await tx.query(
      'CREATE TABLE IF NOT EXISTS sandbox_migration (version integer PRIMARY KEY, applied timestamptz NOT NULL DEFAULT now())',
    );
  });
  const known = migrations.length;
  for (let version = 1; version <= known; version++) {
    await locked(database, async (tx) => {
      const [row] = await tx.query<{ latest: number | null }>(
        'SELECT max(version) AS latest FROM sandbox_migration',
      );
      const latest = row?.latest ?? 0;
      if (latest > known) throw new NewerDatabaseError(latest, known);
      if (latest >= version) return;
      for (const statement of migrations[version - 1] ?? []) await tx.query(statement);
      await tx.query('INSERT INTO sandbox_migration (version) VALUES ($1)', [version]);
    });
  }
}

/** Also needed for the first table: PostgreSQL's "if not exists" fails when two create it at once. */
function locked(database: Database, work: (tx: Queryable) => Promise<void>): Promise<void> {
  return database.transaction(async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await work(tx);
  });
}
