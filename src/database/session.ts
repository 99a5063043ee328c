import { PGlite } from '@electric-sql/pglite';
import { dataDir as emptyDatabase } from '@electric-sql/pglite-prepopulatedfs';
import { openDataFolder } from './data-folder.ts';
import { parsers } from './database.ts';
import { createFairQueue } from './fair-queue.ts';
import type { FolderLock } from './folder-lock.ts';

/** Where an embedded database is stored. */
export interface SessionOptions {
  /** Folder for the database; in memory if left out. */
  readonly dataDir?: string | undefined;
  /** Tar file with what a new database contains; nothing if left out. */
  readonly template?: Blob | undefined;
}

/**
 * The only session of an embedded PostgreSQL. It does one thing at a time, so a transaction
 * that never ends blocks every program of this process.
 */
export interface Session {
  /** Runs the work when the schema's turn comes; unqualified names refer to that schema. */
  run<T>(schema: string, work: (lite: PGlite) => Promise<T>): Promise<T>;
  /** Waits until everything that was started in the schema is done. */
  finish(schema: string): Promise<void>;
  /** Call when every schema has finished. */
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
  const queue = createFairQueue();
  let current: string | undefined;

  async function useSchema(schema: string): Promise<void> {
    if (schema === current) return;
    current = undefined;
    await lite.exec(`SET search_path TO "${schema}"`);
    current = schema;
  }
  return {
    run: (schema, work) =>
      queue.run(schema, async () => {
        if (lock?.isHeld() === false) {
          throw new FolderLostError('Another process has taken this DATA_DIR.');
        }
        await useSchema(schema);
        return work(lite);
      }),
    finish: (schema) => queue.run(schema, async () => {}),
    stop: async () => {
      // Closing writes, too: a folder that another process has taken is left as it is.
      if (lock?.isHeld() !== false) await lite.close();
      lock?.release();
    },
  };
}
