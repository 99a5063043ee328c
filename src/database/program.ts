/** What tells the data of one program from that of the other, and how it is spoken of. */
export interface Program {
  /** Names its folder in `DATA_DIR`, its lock and, in messages, itself. */
  readonly name: string;
  /** The setting with the address of a PostgreSQL. */
  readonly urlSetting: string;
  /** Table that remembers its migrations. */
  readonly migrationTable: string;
  /** Any number that all of its processes agree on; keeps two from migrating at once. */
  readonly migrationLock: number;
  /** How long its statements may wait on a server for locks and answers; unset: for ever. */
  readonly patienceMs?: number;
  /** Every migration in order, each a list of statements. Append only: a released one never changes. */
  readonly migrations: readonly (readonly string[])[];
}
