import type { Database } from '../../../database/database.ts';
import { type CopiedRecords, conditionsOf, createValues, placeOf } from './conditions.ts';

/** What to add up of the records of one merchant. */
export interface TotalsQuery extends CopiedRecords {
  /** The indexes of the groups to group by. */
  readonly by: readonly number[];
  /** Whether to group by quarters of an hour: every day begins with one, in every time zone. */
  readonly isByQuarter: boolean;
  /** How many sums a record has. */
  readonly sums: number;
  /** Only records behind this one. */
  readonly start: string | undefined;
}

/** Records with the same groups. */
export interface CopiedTotal {
  readonly groups: readonly (string | null)[];
  /** When the quarter of an hour began in which they were created. */
  readonly quarter: Date | null;
  readonly count: number;
  readonly sums: readonly string[];
  /** The place of the last one. */
  readonly place: number;
}

/** What totals read. */
export function createTotals(database: Database) {
  return {
    /** How many records a filter matches, besides those whose columns cannot be read. */
    count: async (records: CopiedRecords) => {
      const { values, bind } = createValues();
      const [row] = await database.query<{ count: number }>(
        `SELECT count(*) FROM replica_record
         WHERE merchant = ANY(${bind(records.merchants)}) AND ${conditionsOf(records, bind)}
           AND created IS NOT NULL`,
        values,
      );
      return row?.count ?? 0;
    },
    /** Adds up the records that a filter matches, besides those whose columns cannot be read. */
    addUp: async ({ by, isByQuarter, sums, start, ...records }: TotalsQuery) => {
      const { values, bind } = createValues();
      const merchant = bind(records.merchants[0]);
      const keys = by.map((index) => `groups[${index + 1}]`);
      const added = Array.from({ length: sums }, (_, index) => `sum(sums[${index + 1}])::text`);
      const quarter = isByQuarter
        ? `date_bin('15 minutes', created, 'epoch')`
        : 'NULL::timestamptz';
      const conditions = [
        `merchant = ${merchant}`,
        conditionsOf(records, bind),
        'created IS NOT NULL',
        ...(start === undefined
          ? []
          : [`position < ${placeOf('position', merchant, records.kind, start, bind)}`]),
      ];
      return database.query<CopiedTotal>(
        `SELECT array[${keys.join(', ')}]::text[] AS groups, ${quarter} AS quarter,
           count(*) AS count, array[${added.join(', ')}] AS sums, min(position) AS place
         FROM replica_record WHERE ${conditions.join(' AND ')} GROUP BY 1, 2`,
        values,
      );
    },
    /** The record at a place. */
    at: async (merchant: string, kind: string, position: number) => {
      const [found] = await database.query<{ id: string; created: Date }>(
        `SELECT id, created FROM replica_record
         WHERE merchant = $1 AND kind = $2 AND position = $3`,
        [merchant, kind, position],
      );
      return found;
    },
  };
}
