import pg from 'pg';

/** Runs one SQL statement and returns its rows. */
export interface Queryable {
  query<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** The tables of one program, embedded or on a server; the SQL is the same. */
export interface Database extends Queryable {
  /** Runs a statement whose text never changes. A server plans it once for each connection. */
  prepared: Queryable['query'];
  /** Commits when the work resolves, otherwise rolls back. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** How values are read: a bigint is a number, because no amount exceeds a safe integer. */
export const parsers = { [pg.types.builtins.INT8]: Number };
