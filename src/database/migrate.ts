import { createHash } from 'node:crypto';
import type { Database, Queryable } from './database.ts';
import type { Program } from './program.ts';

/** Thrown when the data was written by a newer program than this one. */
class NewerDatabaseError extends Error {
  constructor({ name, urlSetting }: Program, found: number, known: number) {
    super(
      `The ${name}'s data is of version ${found}, this ${name} knows versions up to ${known}. ` +
        `Use a newer Tillgraph, or another DATA_DIR or ${urlSetting}.`,
    );
  }
}

/** Thrown when a migration is not the one that was applied under its number. */
class ChangedMigrationError extends Error {
  constructor({ name, urlSetting }: Program, version: number) {
    super(
      `Version ${version} of the ${name}'s data was made by another Tillgraph than this one. ` +
        `Use that one, or another DATA_DIR or ${urlSetting}.`,
    );
  }
}

interface Applied {
  readonly version: number;
  readonly sha256: string | null;
}

/** Brings a database up to date, one transaction a migration; refuses one from the future. */
export async function migrate(database: Database, program: Program): Promise<void> {
  const { migrationTable: table, migrations } = program;
  await locked(database, program, async (tx) => {
    await tx.query(
      `CREATE TABLE IF NOT EXISTS ${table} (version integer PRIMARY KEY, applied timestamptz NOT NULL DEFAULT now())`,
    );
    await tx.query(`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS sha256 text`);
  });
  for (const [index, statements] of migrations.entries()) {
    const version = index + 1;
    const sha256 = createHash('sha256').update(statements.join('\n;\n')).digest('hex');
    await locked(database, program, async (tx) => {
      const applied = await tx.query<Applied>(`SELECT version, sha256 FROM ${table}`);
      const latest = Math.max(0, ...applied.map((row) => row.version));
      if (latest > migrations.length) {
        throw new NewerDatabaseError(program, latest, migrations.length);
      }
      const found = applied.find((row) => row.version === version);
      if (found === undefined) {
        for (const statement of statements) await tx.query(statement);
        await tx.query(`INSERT INTO ${table} (version, sha256) VALUES ($1, $2)`, [version, sha256]);
      } else if (found.sha256 !== null && found.sha256 !== sha256) {
        throw new ChangedMigrationError(program, version);
      }
    });
  }
}

/** Also needed for the first table: PostgreSQL's "if not exists" fails when two create it at once. */
function locked(
  database: Database,
  { migrationLock }: Program,
  work: (tx: Queryable) => Promise<void>,
): Promise<void> {
  return database.transaction(async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
    await work(tx);
  });
}
