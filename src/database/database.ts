import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';

/** Something that runs one SQL statement and answers its rows. */
export interface Queryable {
  query<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** A PostgreSQL, in the process or by address; the SQL is the same. */
export interface Database extends Queryable {
  /** Commits when the work resolves, else undoes all of it. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Both databases answer amounts as numbers, whatever their size. */
const parsers = { [pg.types.builtins.INT8]: Number };

const CONNECT_MS = 2_000;

/**
 * What was confirmed stays confirmed, whatever the server's own setting; and nobody holds
 * up the others for longer than they wait. Set in each transaction, since what stands
 * between may refuse or drop settings of a connection.
 */
function begin(patienceMs: number | undefined): string {
  const confirmed = 'BEGIN; SET LOCAL synchronous_commit = on';
  if (patienceMs === undefined) return confirmed;
  return `${confirmed}; SET LOCAL lock_timeout = ${patienceMs}; SET LOCAL statement_timeout = ${patienceMs};
    SET LOCAL idle_in_transaction_session_timeout = ${2 * patienceMs}`;
}

/** PGlite: PostgreSQL in this process, under a folder. */
export async function openInFolder(folder: string): Promise<Database> {
  return embedded(await PGlite.create({ dataDir: folder, parsers }));
}

/**
 * PGlite in memory, gone with the process.
 *
 * @param template an empty data directory as PGlite dumps it; making one takes seconds
 */
export async function openInMemory(template?: Blob): Promise<Database> {
  return embedded(
    await PGlite.create(template === undefined ? { parsers } : { parsers, loadDataDir: template }),
  );
}

function embedded(lite: PGlite): Database {
  return {
    query: async <Row>(sql: string, values: readonly unknown[] = []) =>
      (await lite.query<Row>(sql, [...values])).rows,
    transaction: (work) =>
      lite.transaction((tx) =>
        work({
          query: async <Row>(sql: string, values: readonly unknown[] = []) =>
            (await tx.query<Row>(sql, [...values])).rows,
        }),
      ),
    close: () => lite.close(),
  };
}

/** Time on top of a server's own limit before its silence is taken for death. */
const SILENCE_MS = 3_000;

/**
 * A PostgreSQL server; several processes may share it.
 *
 * @param patienceMs how long a statement may wait for locks and its answer, and, doubled, a
 *   transaction for its next statement; unset: for ever
 */
export async function openServer(url: string, patienceMs?: number): Promise<Database> {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, Number);
  const pool = new pg.Pool({
    connectionString: url,
    types,
    max: 10,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    ...(patienceMs === undefined ? {} : { query_timeout: patienceMs + SILENCE_MS }),
  });
  // An idle connection that breaks is replaced on the next query; nothing else is to be done.
  pool.on('error', () => {});
  // One that breaks inside a transaction fails its statement; unheard, it would end the process.
  pool.on('connect', (client) => client.on('error', () => {}));

  async function query<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return (await pool.query(sql, [...values])).rows as Row[];
  }
  try {
    await query('SELECT 1');
  } catch (error) {
    await pool.end();
    throw error;
  }
  return {
    query,
    transaction: async (work) => {
      const client = await pool.connect();
      let broken = false;
      try {
        await client.query(begin(patienceMs));
        const result = await work({
          query: async <Row>(sql: string, values: readonly unknown[] = []) =>
            (await client.query(sql, [...values])).rows as Row[],
        });
        await client.query('COMMIT');
        return result;
      } catch (error) {
        await client.query('ROLLBACK').catch(() => {
          broken = true;
        });
        throw error;
      } finally {
        client.release(broken);
      }
    },
    close: () => pool.end(),
  };
}
