import { createHash } from 'node:crypto';
import type { Database, Queryable } from './database.ts';
import type { Program } from './program.ts';

/** The data was written by a newer version of the program. */
class NewerDatabaseError extends Error {
  constructor({ name, urlSetting }: Program, found: number, known: number) {
    super(
      `The ${name}'s data has version ${found}, but this ${name} supports versions up to ${known}. ` +
        `Use a newer Tillgraph, or another DATA_DIR or ${urlSetting}.`,
    );
  }
}

/** A migration differs from the one that was applied under its number. */
class ChangedMigrationError extends Error {
  constructor({ name, urlSetting }: Program, version: number) {
    super(
      `Version ${version} of the ${name}'s data was created by a different build of Tillgraph. ` +
        `Use that build, or another DATA_DIR or ${urlSetting}.`,
    );
  }
}

interface Applied {
  readonly version: number;
  readonly sha256: string | null;
}

/** Brings a program's tables up to date, one transaction per migration. Rejects tables of a newer version. */
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

/** Also needed for the first table: `IF NOT EXISTS` fails in PostgreSQL when two processes create it at once. */
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
