import { openDataFolder } from './data-folder.ts';
import type { Queryable } from './database.ts';
import type { FolderLock } from './folder-lock.ts';
import { type PostgresThread, startPostgresThread } from './start-postgres-thread.ts';

/** Where an embedded database is stored. */
export interface SessionOptions {
  /** Folder of the database. Default: in memory. */
  readonly dataDir?: string | undefined;
  /** Tar file with the content of a new database. Default: empty. */
  readonly template?: Blob | undefined;
}

/**
 * The only session of an embedded PostgreSQL. It does one thing at a time, so a transaction
 * that never ends blocks every program of this process.
 */
export interface Session {
  /** Runs the work on the schema's turn. Unqualified names refer to that schema. */
  run<T>(schema: string, work: (session: Queryable) => Promise<T>): Promise<T>;
  /** Waits until everything that was started in the schema is done. */
  finish(schema: string): Promise<void>;
  /** Call when every schema has finished. */
  stop(): Promise<void>;
}

/** Another process took over the data folder. Nothing was done. */
class FolderLostError extends Error {}

/** Starts PostgreSQL. First locks the data folder, if there is one. */
export async function startSession({ dataDir, template }: SessionOptions): Promise<Session> {
  if (dataDir === undefined) {
    return toSession(await startPostgresThread({ folder: undefined, isNew: true, template }));
  }
  const folder = openDataFolder(dataDir);
  try {
    const { path, isNew } = folder;
    const thread = await startPostgresThread({ folder: path, isNew, template });
    folder.markComplete();
    return toSession(thread, folder.lock);
  } catch (error) {
    folder.lock.release();
    throw error;
  }
}

function toSession(thread: PostgresThread, lock?: FolderLock): Session {
  const queue = createFairQueue();
  let current: string | undefined;

  async function useSchema(schema: string): Promise<void> {
    if (schema === current) return;
    current = undefined;
    await thread.query(`SET search_path TO "${schema}"`);
    current = schema;
  }
  return {
    run: (schema, work) =>
      queue.run(schema, async () => {
        if (lock?.isHeld() === false) {
          throw new FolderLostError('Another process has taken this DATA_DIR.');
        }
        await useSchema(schema);
        return work(thread);
      }),
    finish: (schema) => queue.run(schema, async () => {}),
    stop: async () => {
      // Closing writes too, so a folder that another process took is left as it is.
      await (lock?.isHeld() === false ? thread.abandon() : thread.stop());
      lock?.release();
    },
  };
}

/** Runs work of several owners, one piece at a time. */
export interface FairQueue {
  /** Runs the work when it is its owner's turn. */
  run<T>(owner: string, work: () => Promise<T>): Promise<T>;
}

/**
 * Creates a queue in which owners take turns; the work of one owner keeps its order. An
 * owner waits for at most one piece of work of each other owner, besides the one that runs.
 */
export function createFairQueue(): FairQueue {
  /** The owner whose turn is next comes first; one with nothing to do is not there. */
  const waiting = new Map<string, (() => Promise<void>)[]>();
  let busy = false;

  async function work(): Promise<void> {
    busy = true;
    for (const [owner, tasks] of waiting) {
      const task = tasks.shift();
      waiting.delete(owner);
      if (tasks.length > 0) waiting.set(owner, tasks);
      await task?.();
    }
    busy = false;
  }

  return {
    run: (owner, runWork) =>
      new Promise((resolve, reject) => {
        const tasks = waiting.get(owner) ?? [];
        tasks.push(async () => {
          try {
            resolve(await runWork());
          } catch (error) {
            reject(error);
          }
        });
        waiting.set(owner, tasks);
        if (!busy) void work();
      }),
  };
}
