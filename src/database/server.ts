import pg from 'pg';
import { type Database, parsers } from './database.ts';
import { createExecute, type Execute, nameOf } from './time-limit.ts';

/**
 * Time limit of the first connection: a server that has just started or is busy needs a few
 * seconds.
 */
const CONNECT_MS = 15_000;
/** How long a statement without a time limit waits for a connection. */
const WAIT_MS = 30_000;
/** How long after its own time limit a silent server counts as dead. */
const SILENCE_MS = 3_000;
const MAX_CONNECTIONS = 10;

/**
 * Opens a database on a PostgreSQL server; several processes may share it. Names are not qualified,
 * so tables are created in the first schema of the connection's search path, which is `public`
 * unless the address or the role says otherwise.
 *
 * @param patienceMs time limit of a statement, in milliseconds, including its wait for locks;
 *   twice as long for a transaction that waits for its next statement. Default: no limit
 * @param connections size of the pool
 */
export async function openServer(
  url: string,
  patienceMs?: number,
  connections = MAX_CONNECTIONS,
): Promise<Database> {
  await checkConnection(url);
  const pool = createPool(url, patienceMs, connections);
  const execute: Execute =
    patienceMs === undefined
      ? (statement) => pool.query(statement)
      : createExecute(pool, patienceMs);

  async function query<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    // The caller names the columns of its statement; pg does not know them.
    return (await execute({ text: sql, values: [...values] })).rows as Row[];
  }
  return {
    query,
    prepared: createPrepared(execute, query),
    transaction: async (work) => {
      const client = await pool.connect();
      let broken = false;
      try {
        await client.query(begin(patienceMs));
        const result = await work({
          query: async <Row>(sql: string, values: readonly unknown[] = []) =>
            // As in `query`: only the caller knows the columns.
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

/** Fails early if the server cannot be used. */
async function checkConnection(url: string): Promise<void> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: CONNECT_MS,
  });
  // A broken connection emits an error after that of the query.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('SELECT 1');
  } finally {
    await client.end();
  }
}

function createPool(url: string, patienceMs: number | undefined, max: number): pg.Pool {
  const types = new pg.TypeOverrides();
  for (const [oid, parse] of Object.entries(parsers)) types.setTypeParser(Number(oid), parse);
  const pool = new pg.Pool({
    connectionString: url,
    types,
    max,
    keepAlive: true,
    ...(patienceMs === undefined
      ? { connectionTimeoutMillis: WAIT_MS }
      : {
          connectionTimeoutMillis: patienceMs + SILENCE_MS,
          query_timeout: patienceMs + SILENCE_MS,
        }),
  });
  // The pool replaces an idle connection that breaks when the next query needs one.
  pool.on('error', () => {});
  // A connection that breaks in a transaction fails its statement. An unhandled error event would
  // end the process.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/**
 * Waits for the disk at each commit, regardless of the server's own setting, and limits how
 * long a session can block others. Set in each transaction, because a pooler in between may
 * reject or drop the settings of a connection.
 */
function begin(patienceMs: number | undefined): string {
  const durable = 'BEGIN; SET LOCAL synchronous_commit = on';
  if (patienceMs === undefined) return durable;
  return `${durable}; SET LOCAL lock_timeout = ${patienceMs}; SET LOCAL statement_timeout = ${patienceMs};
    SET LOCAL idle_in_transaction_session_timeout = ${2 * patienceMs}`;
}

/** SQLSTATE: the statement is not there, or is there already. Nothing was executed. */
const PREPARED_ELSEWHERE = new Set(['26000', '42P05']);

/**
 * Runs statements by name. Planning a statement of the store of money operations costs the server more
 * than executing it. Behind a pooler that gives each transaction another connection, from the
 * first statement that is not where it was prepared, they are sent without a name.
 */
function createPrepared(execute: Execute, query: Database['query']): Database['prepared'] {
  let isPooled = false;
  return async <Row>(text: string, values: readonly unknown[] = []) => {
    if (isPooled) return query<Row>(text, values);
    try {
      // As in `query`: only the caller knows the columns.
      return (await execute({ name: nameOf(text), text, values: [...values] })).rows as Row[];
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || !PREPARED_ELSEWHERE.has(error.code ?? '')) {
        throw error;
      }
      isPooled = true;
      return query<Row>(text, values);
    }
  };
}
