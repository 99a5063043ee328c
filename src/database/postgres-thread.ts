/**
 * Runs PostgreSQL (PGlite) in a thread of its own, so that a statement that takes long does not
 * hold up the requests of the process. It executes one statement after another.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { dataDir as emptyDatabase } from '@electric-sql/pglite-prepopulatedfs';
import { parsers } from './database.ts';

/** Which database the thread opens. */
export interface ThreadOptions {
  /** Folder of the database. Undefined: in memory. */
  readonly folder: string | undefined;
  readonly isNew: boolean;
  /** Tar file with the content of a new database. Undefined: empty. */
  readonly template: Blob | undefined;
}

/** A statement for the thread; undefined stops PostgreSQL. */
export type ThreadRequest = { readonly sql: string; readonly values: unknown[] } | undefined;

/** The rows of a statement, or why it failed. Errors lose their properties between threads. */
export type ThreadReply =
  | { readonly rows: unknown[] }
  | { readonly message: string; readonly properties: Record<string, unknown> };

const { folder, isNew, template }: ThreadOptions = workerData;

const lite = await PGlite.create({
  ...(folder === undefined ? {} : { dataDir: folder }),
  // Running initdb in PGlite takes several seconds and twice the memory.
  ...(isNew ? { loadDataDir: template ?? (await emptyDatabase()) } : {}),
  parsers,
});

async function execute(request: ThreadRequest): Promise<ThreadReply> {
  if (request === undefined) {
    await lite.close();
    return { rows: [] };
  }
  try {
    const { rows } = await lite.query(request.sql, request.values);
    return { rows };
  } catch (error) {
    const { message, query, params, ...properties } = error as Error & Record<string, unknown>;
    return { message, properties };
  }
}

const port = parentPort;
if (port === null) throw new Error('This file is started as a thread.');
port.postMessage({ rows: [] });
// PGlite executes what it gets in order.
port.on('message', async (request: ThreadRequest) => {
  port.postMessage(await execute(request));
});
