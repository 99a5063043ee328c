/** A table of records. */
export interface RecordTable {
  readonly name: string;
  /** The columns of its primary key. */
  readonly key: readonly string[];
}

/** All tables with records of the services, each after those that it refers to. */
export const recordTables: readonly RecordTable[] = [
  { name: 'user_record', key: ['seq'] },
  { name: 'app', key: ['id'] },
  { name: 'demo_app', key: ['app_id'] },
  { name: 'merchant', key: ['id'] },
  { name: 'merchant_app', key: ['app_id', 'merchant_id'] },
  { name: 'person', key: ['id'] },
  { name: 'member', key: ['merchant_id', 'person_id'] },
  { name: 'transaction', key: ['id'] },
  { name: 'line', key: ['id'] },
  { name: 'dispute', key: ['id'] },
  { name: 'fraud_alert', key: ['id'] },
  { name: 'trail_entry', key: ['seq'] },
  { name: 'saved_card', key: ['id'] },
  { name: 'outbox', key: ['seq'] },
];

/** The tables whose column `seq` the database counts. */
export const countedTables = recordTables.filter(({ key }) => key[0] === 'seq');

/** The tables whose records have ids of the sequence that all kinds of records share. */
export const tablesWithIds = recordTables.filter(({ key }) => key.join() === 'id');

/**
 * An SQL expression with the type of a table's rows. `NULL::line` would be of a type of
 * PostgreSQL, which has one of that name.
 */
export function rowType(table: string): string {
  return `(SELECT row_of_table FROM ${table} AS row_of_table WHERE false)`;
}
