import { createHash } from 'node:crypto';
import type { Database, Program, Queryable } from './database.ts';

/** The tables do not fit this version of the program. The message says what to do. */
export class DataVersionError extends Error {}

function insteadOf({ withoutData, urlSetting }: Program): string {
  return withoutData ?? `Or use another DATA_DIR or ${urlSetting}.`;
}

/** The data was written by a newer version of the program. */
class NewerDatabaseError extends DataVersionError {
  constructor(program: Program, found: number, known: number) {
    super(
      `The ${program.name}'s data has version ${found}, but this ${program.name} supports versions up to ${known}. ` +
        `Use a newer Tillgraph. ${insteadOf(program)}`,
    );
  }
}

/** A migration differs from the one that was applied under its number. */
class ChangedMigrationError extends DataVersionError {
  constructor(program: Program, version: number) {
    super(
      `Version ${version} of the ${program.name}'s data was created by a different build of Tillgraph. ` +
        `Use that build. ${insteadOf(program)}`,
    );
  }
}

/** The data was written by an older version of the program. */
class OlderDatabaseError extends DataVersionError {
  constructor({ name }: Program, found: number, known: number) {
    super(
      `The ${name}'s data has version ${found}, but this command needs version ${known}. ` +
        `The ${name} upgrades its data when it starts.`,
    );
  }
}

interface Applied {
  readonly version: number;
  readonly sha256: string | null;
  /**
   * The oldest version of the program that works with the tables after this migration; null if
   * unknown.
   */
  readonly oldest: number | null;
}

/**
 * Brings a program's tables up to date, one transaction per migration. Rejects tables of a newer
 * version, unless they are recorded as compatible with this one.
 */
export async function migrate(database: Database, program: Program): Promise<void> {
  const { migrationTable: table, migrations } = program;
  await locked(database, program, async (tx) => {
    await tx.query(
      `CREATE TABLE IF NOT EXISTS ${table} (version integer PRIMARY KEY, applied timestamptz NOT NULL DEFAULT now())`,
    );
    await tx.query(
      `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS sha256 text, ADD COLUMN IF NOT EXISTS oldest integer`,
    );
  });
  for (const [index, statements] of migrations.entries()) {
    const version = index + 1;
    const sha256 = hashOf(statements);
    await locked(database, program, async (tx) => {
      const applied = await tx.query<Applied>(`SELECT version, sha256, oldest FROM ${table}`);
      checkNewest(program, applied);
      const found = applied.find((row) => row.version === version);
      if (found === undefined) {
        for (const statement of statements) await tx.query(statement);
        const oldest = program.oldestCompatible ?? migrations.length;
        await tx.query(`INSERT INTO ${table} (version, sha256, oldest) VALUES ($1, $2, $3)`, [
          version,
          sha256,
          oldest,
        ]);
      } else if (found.sha256 !== null && found.sha256 !== sha256) {
        throw new ChangedMigrationError(program, version);
      }
    });
  }
}

/**
 * Whether a program's tables exist. Changes nothing. Throws a {@link DataVersionError} if they
 * have another version than this program.
 */
export async function isMigrated(database: Database, program: Program): Promise<boolean> {
  const { migrationTable: table, migrations } = program;
  const [{ exists } = { exists: false }] = await database.query<{ exists: boolean }>(
    'SELECT to_regclass($1) IS NOT NULL AS exists',
    [table],
  );
  if (!exists) return false;
  // Early versions of the table had fewer columns.
  const applied = await database.query<Partial<Applied>>(`SELECT * FROM ${table}`);
  const latest = checkNewest(program, applied);
  if (latest < migrations.length) throw new OlderDatabaseError(program, latest, migrations.length);
  for (const [index, statements] of migrations.entries()) {
    const found = applied.find(({ version }) => version === index + 1);
    if (found?.sha256 !== hashOf(statements)) throw new ChangedMigrationError(program, index + 1);
  }
  return true;
}

/**
 * Returns the version of the tables. Throws if they are too new for this version of the program.
 */
function checkNewest(program: Program, applied: readonly Partial<Applied>[]): number {
  const known = program.migrations.length;
  const newest = applied.toSorted((a, b) => (b.version ?? 0) - (a.version ?? 0))[0];
  const found = newest?.version ?? 0;
  const oldest = newest?.oldest ?? found;
  if (found > known && oldest > known) throw new NewerDatabaseError(program, found, known);
  return found;
}

function hashOf(statements: readonly string[]): string {
  return createHash('sha256').update(statements.join('\n;\n')).digest('hex');
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
