import { resolve } from 'node:path';
import type { Database, Program } from './database.ts';
import { createEmbedded, type Embedded } from './embedded.ts';
import { isMigrated, migrate } from './migrate.ts';
import { openServer } from './server.ts';

/** Where a program stores its data. Default: in memory. */
export interface Storage {
  /** Address of a PostgreSQL server. Takes precedence over `embedded` and `dataDir`. */
  readonly databaseUrl?: string;
  /** Connections to the server. Default: 10. */
  readonly connections?: number;
  /** Embedded database that the programs of this process share. Takes precedence over `dataDir`. */
  readonly embedded?: Embedded;
  /** Folder for an embedded database of this program only. */
  readonly dataDir?: string;
  /** Schema of the embedded database. Default: the program's own. */
  readonly schema?: string;
}

/** Describes where data is stored, without the password. */
export function describeStorage({ databaseUrl, dataDir }: Storage): string {
  if (databaseUrl !== undefined) {
    if (!URL.canParse(databaseUrl)) return 'PostgreSQL';
    const { host, pathname } = new URL(databaseUrl);
    return `PostgreSQL ${host}${pathname}`;
  }
  return dataDir === undefined ? 'memory' : resolve(dataDir);
}

/** Opens a program's tables and migrates them. Creates what does not exist. */
export async function openDatabase(storage: Storage, program: Program): Promise<Database> {
  if (storage.databaseUrl !== undefined) return openOnServer(storage, program);
  const name = storage.schema ?? program.name;
  return migrated(await embeddedOf(storage).open({ ...program, name }), program);
}

/**
 * Opens a program's tables if they exist in the program's version; undefined if they do not exist.
 * Creates and upgrades nothing. Throws a `DataVersionError` for another version.
 */
export async function openExisting(
  storage: Storage,
  program: Program,
): Promise<Database | undefined> {
  const database = await (storage.databaseUrl === undefined
    ? embeddedOf(storage).openExisting(program)
    : connect(storage, program, program.patienceMs));
  if (database === undefined) return undefined;
  const exists = await closeOnError(database, () => isMigrated(database, program));
  if (exists) return database;
  await database.close();
  return undefined;
}

function embeddedOf({ embedded, dataDir }: Storage): Embedded {
  return embedded ?? createEmbedded({ dataDir });
}

async function openOnServer(storage: Storage, program: Program): Promise<Database> {
  const { patienceMs } = program;
  // A migration may take long, and may have to wait for another process's migration.
  const patient = await migrated(await connect(storage, program), program);
  if (patienceMs === undefined) return patient;
  await patient.close();
  return connect(storage, program, patienceMs);
}

async function connect(
  { databaseUrl = '', connections }: Storage,
  { urlSetting }: Program,
  patienceMs?: number,
): Promise<Database> {
  try {
    return await openServer(databaseUrl, patienceMs, connections);
  } catch (cause) {
    // pg and Node throw errors, most of them with a code.
    const { code, message } = cause as Error & { code?: string };
    const where = describeStorage({ databaseUrl });
    throw new Error(`${urlSetting}: ${where} cannot be used (${code ?? message}).`, { cause });
  }
}

async function migrated(database: Database, program: Program): Promise<Database> {
  await closeOnError(database, () => migrate(database, program));
  return database;
}

async function closeOnError<T>(database: Database, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await database.close();
    throw error;
  }
}
