import { createHash } from 'node:crypto';
import pg from 'pg';

/** A statement for a server. A named one is planned once per connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values: unknown[];
}

/** Executes one statement. Leaves only its plan on the connection. */
export type Execute = (statement: Statement) => Promise<pg.QueryResult>;

/**
 * Executes statements, each within a time limit and waiting for the disk when it commits. These
 * settings are sent as a first statement of the same transaction, so they cost no round trip, and a
 * pooler cannot drop them. They cannot be part of the statement itself, because its time limit
 * starts before any of it is executed.
 */
export function createExecute(pool: pg.Pool, patienceMs: number): Execute {
  const limits = `SELECT WHERE set_config('synchronous_commit', 'on', true)
    || set_config('statement_timeout', '${patienceMs}', true) IS NULL`;
  const limitsName = nameOf(limits);
  const planned = new WeakSet<pg.Connection>();

  function sendLimits(connection: pg.Connection, isNamed: boolean): void {
    const statement = isNamed ? limitsName : '';
    if (!isNamed || !planned.has(connection)) {
      connection.parse({ name: statement, text: limits, types: [] }, true);
    }
    if (isNamed) planned.add(connection);
    connection.bind({ statement }, true);
    connection.execute(null, true);
  }

  return async ({ name, text, values }) => {
    // The simple protocol has no place for a statement before this one. The options are set
    // afterwards, because pg copies every property descriptor of options that it is given.
    const query = Object.assign(new pg.Query(text, values), { name, queryMode: 'extended' });
    const { submit } = query;
    query.submit = (connection) => {
      // Send both in one packet.
      connection.stream.cork();
      sendLimits(connection, name !== undefined);
      // Also ends the transaction. Returns an error that it detected itself.
      const error = submit.call(query, connection);
      connection.stream.uncork();
      return error;
    };
    // The types describe a client's result, but a pool returns a promise.
    const sent: unknown = pool.query(query);
    const results = await (sent as Promise<[pg.QueryResult, pg.QueryResult]>);
    return results[1];
  };
}

/** Hexadecimal digits of the digest. PostgreSQL names have up to 63 characters. */
const NAME_DIGITS = 32;
const names = new Map<string, string>();

/** Everything that shares a connection has the same statement under this name, or none. */
export function nameOf(sql: string): string {
  const known = names.get(sql);
  if (known !== undefined) return known;
  const name = `tillgraph_${createHash('sha256').update(sql).digest('hex').slice(0, NAME_DIGITS)}`;
  names.set(sql, name);
  return name;
}
