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
    const server = await openServer(databaseUrl, program.patienceMs).catch((cause) => {
      const where = describeStorage({ databaseUrl });
      const why = cause.code ?? cause.message;
      throw new Error(`${program.urlSetting}: ${where} cannot be used (${why}).`, { cause });
    });
    return migrated(server, program);
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
