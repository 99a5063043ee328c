import { PGlite } from '@electric-sql/pglite';
import { dataDir as emptyDatabase } from '@electric-sql/pglite-prepopulatedfs';
import { openDataFolder } from './data-folder.ts';
import { parsers } from './database.ts';
import type { FolderLock } from './folder-lock.ts';

/** Where an embedded database is stored. */
export interface SessionOptions {
  /** Folder for the database; in memory if left out. */
  readonly dataDir?: string | undefined;
  /** Tar file with what a new database contains; nothing if left out. */
  readonly template?: Blob | undefined;
}

/**
 * The only session of an embedded PostgreSQL. Work waits in one queue, so a transaction
 * that never ends blocks every program of this process.
 */
export interface Session {
  /** Runs the work when everything before it is done; unqualified names refer to the schema. */
  run<T>(schema: string, work: (lite: PGlite) => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

/** Another process has taken over the data folder. Nothing was done. */
class FolderLostError extends Error {}

/** Starts PostgreSQL; in a data folder it first takes the folder for this process. */
export async function startSession({ dataDir, template }: SessionOptions): Promise<Session> {
  if (dataDir === undefined) return toSession(await startNew(undefined, template));
  const folder = openDataFolder(dataDir);
  try {
    const lite = folder.isNew
      ? await startNew(folder.path, template)
      : await PGlite.create({ dataDir: folder.path, parsers });
    folder.markComplete();
    return toSession(lite, folder.lock);
  } catch (error) {
    folder.lock.release();
    throw error;
  }
}

/** A new database is unpacked: letting PGlite run initdb takes several seconds and twice the memory. */
async function startNew(folder: string | undefined, template: Blob | undefined): Promise<PGlite> {
  return PGlite.create({
    ...(folder === undefined ? {} : { dataDir: folder }),
    loadDataDir: template ?? (await emptyDatabase()),
    parsers,
  });
}

function toSession(lite: PGlite, lock?: FolderLock): Session {
  let current: string | undefined;
  let last: Promise<unknown> = Promise.resolve();

  function queue<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  }
  async function useSchema(schema: string): Promise<void> {
    if (schema === current) return;
    current = undefined;
    await lite.exec(`SET search_path TO "${schema}"`);
    current = schema;
  }
  return {
    run: (schema, work) =>
      queue(async () => {
        if (lock?.isHeld() === false) {
          throw new FolderLostError('Another process has taken this DATA_DIR.');
        }
        await useSchema(schema);
        return work(lite);
      }),
    stop: () =>
      queue(async () => {
        // Closing writes, too: a folder that another process has taken is left as it is.
        if (lock?.isHeld() !== false) await lite.close();
        lock?.release();
      }),
  };
}
