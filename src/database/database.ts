import pg from 'pg';

/** Runs one SQL statement and returns its rows. */
export interface Queryable {
  query<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

/** The tables of one program, embedded or on a server. The SQL is the same. */
export interface Database extends Queryable {
  /** Runs a statement with constant text. A server plans it once per connection. */
  prepared: Queryable['query'];
  /** Commits when the work resolves, otherwise rolls back. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** How values are parsed: a bigint becomes a number, because no amount exceeds a safe integer. */
export const parsers = { [pg.types.builtins.INT8]: Number };

/** A program that stores data, and how its tables are kept apart from the other program's. */
export interface Program {
  /** Names its schema in the embedded database, and the program in messages. */
  readonly name: string;
  /** The setting with the address of a PostgreSQL server. */
  readonly urlSetting: string;
  /**
   * Why not to use an empty database instead of one that cannot be used. Undefined if that is fine.
   */
  readonly withoutData?: string;
  /** Table that records its migrations. */
  readonly migrationTable: string;
  /** Key of the advisory lock that lets only one process migrate at a time. */
  readonly migrationLock: number;
  /** Time limit of a statement on a server, in milliseconds. Default: no limit. */
  readonly patienceMs?: number;
  /** Every migration in order, each a list of statements. Append only: a released one never changes. */
  readonly migrations: readonly (readonly string[])[];
  /**
   * The oldest version of the program that works with the tables after all migrations: it finds
   * every table and column it knows, and may omit the others. Default: only the current version.
   */
  readonly oldestCompatible?: number;
}
