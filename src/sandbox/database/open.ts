import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Database, openInFolder, openInMemory, openServer } from './database.ts';
import { lockFolder } from './folder-lock.ts';
import { migrate } from './migrate.ts';

/** Where the sandbox's records are to lie; with neither they live in memory only. */
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
    const { host, pathname } = new URL(databaseUrl);
    return `PostgreSQL ${host}${pathname}`;
  }
  return dataDir === undefined ? 'memory' : resolve(dataDir);
}

/** Opens the database, takes it for this process if it is embedded, and brings it up to date. */
export async function openDatabase({ databaseUrl, dataDir, template }: Storage): Promise<Database> {
  if (databaseUrl !== undefined) {
    const server = await openServer(databaseUrl).catch((cause) => {
      const where = describeStorage({ databaseUrl });
      const why = cause.code ?? cause.message;
      throw new Error(`SANDBOX_DATABASE_URL: ${where} cannot be used (${why}).`, { cause });
    });
    return migrated(server);
  }
  if (dataDir === undefined) return migrated(await openInMemory(template));
  const folder = join(dataDir, 'sandbox');
  mkdirSync(folder, { recursive: true });
  const release = lockFolder(dataDir);
  try {
    const database = await migrated(await openInFolder(folder));
    return {
      ...database,
      close: async () => {
        await database.close();
        release();
      },
    };
  } catch (error) {
    release();
    throw error;
  }
}

async function migrated(database: Database): Promise<Database> {
  try {
    await migrate(database);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}
