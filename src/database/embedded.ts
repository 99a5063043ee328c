import { hasDatabase } from './data-folder.ts';
import type { Database, Program, Queryable } from './database.ts';
import { type Session, type SessionOptions, startSession } from './session.ts';

/**
 * A PostgreSQL in a thread of this process (PGlite), shared by the programs of the process. Each
 * program has its own schema and sees only that one. PostgreSQL starts when the first
 * program opens it and stops when the last one closes it.
 */
export interface Embedded {
  /** Starts it already, for a program that opens it soon. */
  start(): void;
  /** Whether the database must still be created. */
  isNew(): boolean;
  /** Opens the schema of a program, and creates it if it does not exist. */
  open(program: Program): Promise<Database>;
  /** Opens the schema of a program; undefined if it does not exist. Creates nothing. */
  openExisting(program: Program): Promise<Database | undefined>;
}

/** Prepares an embedded database, without starting PostgreSQL or touching the folder. */
export function createEmbedded(options: SessionOptions = {}): Embedded {
  const { dataDir } = options;
  const { start, join, leave } = share(() => startSession(options));

  async function joinFor<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await join();
    try {
      return await work(session);
    } catch (error) {
      await leave();
      throw error;
    }
  }

  return {
    start,
    isNew: () => dataDir === undefined || !hasDatabase(dataDir),
    open: ({ name }) =>
      joinFor(async (session) => {
        await session.run(name, (lite) => lite.query(`CREATE SCHEMA IF NOT EXISTS "${name}"`));
        return toDatabase(session, name, leave);
      }),
    openExisting: async ({ name }) => {
      if (dataDir !== undefined && !hasDatabase(dataDir)) return undefined;
      const database = await joinFor(async (session) => {
        const rows = await session.run(name, (lite) =>
          lite.query('SELECT FROM pg_namespace WHERE nspname = $1', [name]),
        );
        return rows.length === 0 ? undefined : toDatabase(session, name, leave);
      });
      if (database === undefined) await leave();
      return database;
    },
  };
}

/** Shares a resource: starts it for the first user and stops it after the last. */
function share<T extends { stop(): Promise<void> }>(start: () => Promise<T>) {
  let users = 0;
  let shared: Promise<T> | undefined;
  return {
    start: (): void => {
      shared ??= start();
      // The first user gets the error.
      shared.catch(() => {});
    },
    join: async (): Promise<T> => {
      users++;
      shared ??= start();
      try {
        return await shared;
      } catch (error) {
        users--;
        if (users === 0) shared = undefined;
        throw error;
      }
    },
    leave: async (): Promise<void> => {
      users--;
      if (users > 0) return;
      const last = shared;
      shared = undefined;
      await (await last)?.stop();
    },
  };
}

/** The database of one program: everything runs in its schema. */
function toDatabase(session: Session, schema: string, leave: () => Promise<void>): Database {
  let closed = false;

  async function run<T>(work: (lite: Queryable) => Promise<T>): Promise<T> {
    if (closed) throw new Error('The database is closed.');
    return session.run(schema, work);
  }
  const query: Database['query'] = (sql, values) => run((lite) => lite.query(sql, values));
  return {
    query,
    prepared: query,
    transaction: (work) => run((lite) => inTransaction(lite, work)),
    close: async () => {
      if (closed) return;
      closed = true;
      await session.finish(schema);
      await leave();
    },
  };
}

/** Only work that has the session to itself can begin a transaction. */
async function inTransaction<T>(lite: Queryable, work: (tx: Queryable) => Promise<T>): Promise<T> {
  await lite.query('BEGIN');
  try {
    const result = await work(lite);
    await lite.query('COMMIT');
    return result;
  } catch (error) {
    await lite.query('ROLLBACK');
    throw error;
  }
}
