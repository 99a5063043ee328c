import { createHash } from 'node:crypto';
import pg from 'pg';

/** What is sent to a server. One with a name is planned once for each connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
}

/** Executes one statement. Nothing is left of it on the connection but its plan. */
export type Execute = (statement: Statement) => Promise<pg.QueryResult>;

/**
 * Executes statements, each within a time limit and waiting for the disk when it commits. These
 * settings are sent with the statement, as a first statement of the same transaction, so they
 * cost no round trip, and a pooler in between cannot drop them. They cannot be a part of the
 * statement itself: the server starts to count before it executes anything of it.
 */
export function createExecute(pool: pg.Pool, patienceMs: number): Execute {
  const limits = `SELECT WHERE set_config('synchronous_commit', 'on', true)
    || set_config('statement_timeout', '${patienceMs}', true) IS NULL`;
  const name = nameOf(limits);
  const planned = new WeakSet<pg.Connection>();

  function sendLimits(connection: pg.Connection, isNamed: boolean): void {
    const statement = isNamed ? name : '';
    if (!isNamed || !planned.has(connection)) {
      connection.parse({ name: statement, text: limits, types: [] }, true);
    }
    if (isNamed) planned.add(connection);
    connection.bind({ statement }, true);
    connection.execute(null, true);
  }

  return async (statement) => {
    // The other protocol has no place for a statement before this one.
    const query = new pg.Query({ ...statement, ...EXTENDED });
    const { submit } = query;
    query.submit = (connection) => {
      // In one packet.
      connection.stream.cork();
      sendLimits(connection, statement.name !== undefined);
      // Ends the transaction, too. Returns an error that it has found itself.
      const error = submit.call(query, connection);
      connection.stream.uncork();
      return error;
    };
    // The types say what a client returns. A pool returns a promise.
    const sent: unknown = pool.query(query);
    const results = await (sent as Promise<[pg.QueryResult, pg.QueryResult]>);
    return results[1];
  };
}

const EXTENDED = { queryMode: 'extended' };

/** Of a digest in hexadecimal. Names of PostgreSQL have up to 63 characters. */
const NAME_DIGITS = 32;
const names = new Map<string, string>();

/** All that share a connection have the same statement under this name, or none. */
export function nameOf(sql: string): string {
  const known = names.get(sql);
  if (known !== undefined) return known;
  const name = `tillgraph_${createHash('sha256').update(sql).digest('hex').slice(0, NAME_DIGITS)}`;
  names.set(sql, name);
  return name;
}
