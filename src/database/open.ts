import { accessSync, constants, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Database, openInFolder, openInMemory, openServer } from './database.ts';
import { type FolderLock, lockFolder } from './folder-lock.ts';
import { migrate } from './migrate.ts';
import type { Program } from './program.ts';

/** Where a program's records are to lie; with neither they live in memory only. */
export interface Storage {
  /** A PostgreSQL. Goes before `dataDir`. */
  readonly databaseUrl?: string;
  readonly dataDir?: string;
  /** For records in memory: an empty data directory of PGlite's, which saves making one. */
  readonly template?: Blob;
}

/** Where the records lie, in words without a password. */
export function describeStorage({ databaseUrl, dataDir }: Storage): string {
  if (databaseUrl !== undefined) {
    if (!URL.canParse(databaseUrl)) return 'PostgreSQL';
    const { host, pathname } = new URL(databaseUrl);
    return `PostgreSQL ${host}${pathname}`;
  }
  return dataDir === undefined ? 'memory' : resolve(dataDir);
}

/** Opens the database, takes it for this process if it is embedded, and brings it up to date. */
export async function openDatabase(
  { databaseUrl, dataDir, template }: Storage,
  program: Program,
): Promise<Database> {
  if (databaseUrl !== undefined) {
    const { urlSetting, patienceMs } = program;
    // A migration takes as long as it takes, and another process may be at it.
    const patient = await migrated(await connect(databaseUrl, urlSetting), program);
    if (patienceMs === undefined) return patient;
    await patient.close();
    return connect(databaseUrl, urlSetting, patienceMs);
  }
  if (dataDir === undefined) return migrated(await openInMemory(template), program);
  const folder = join(dataDir, program.name);
  makeFolder(folder, dataDir);
  const lock = lockFolder(dataDir, program);
  try {
    return guarded(await migrated(await openInFolder(folder), program), lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function connect(url: string, setting: string, patienceMs?: number): Promise<Database> {
  try {
    return await openServer(url, patienceMs);
  } catch (cause) {
    const { code, message } = cause as Error & { code?: string };
    const where = describeStorage({ databaseUrl: url });
    throw new Error(`${setting}: ${where} cannot be used (${code ?? message}).`, { cause });
  }
}

function makeFolder(folder: string, dataDir: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(dataDir, constants.W_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new Error(`DATA_DIR: ${resolve(dataDir)} cannot be written (${code}).`, { cause });
  }
}

/** Thrown when another process has taken the folder over in the meantime; nothing was done. */
class FolderLostError extends Error {}

/** Writes nothing any more once the folder belongs to somebody else. */
function guarded(database: Database, lock: FolderLock): Database {
  return {
    query: database.query,
    transaction: async (work) => {
      if (!lock.isHeld()) throw new FolderLostError('Another process has taken this DATA_DIR.');
      return database.transaction(work);
    },
    close: async () => {
      // Closing writes, too: of a folder that is somebody else's by now nothing is touched.
      if (lock.isHeld()) await database.close();
      lock.release();
    },
  };
}

async function migrated(database: Database, program: Program): Promise<Database> {
  try {
    await migrate(database, program);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}
