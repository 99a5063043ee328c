import type { Database } from '../../../database/database.ts';
import type { RecordOrder } from '../copied-list.ts';
import { type CopiedRecords, conditionsOf, createValues, placeOf } from './conditions.ts';

/** What the replica has of a merchant. */
export interface MerchantCopy {
  readonly merchant: string;
  readonly state: 'COPYING' | 'READY' | 'STOPPED';
  readonly reason: string | null;
  readonly asOf: Date | null;
}

/** Which records to read, in the terms of the payments service. */
export interface RecordQuery extends CopiedRecords {
  /** Default: that of the service, newest first; only for one merchant. */
  readonly order?: RecordOrder | undefined;
  readonly limit: number;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** The item before which the list ends, in the direction of reading. */
  readonly end?: string | undefined;
}

/** What queries read. */
export function createAnswers(database: Database) {
  return {
    /** What the replica has of merchants. Those that are not copied are left out. */
    find: (merchants: readonly string[]) =>
      database.query<MerchantCopy>(
        `SELECT merchant, state, reason, as_of AS "asOf" FROM replica_merchant
         WHERE merchant = ANY($1) AND left_at IS NULL`,
        [merchants],
      ),
    /** How far each list of a merchant is copied: when the last item was created. */
    walked: (merchant: string) =>
      database.query<{ isWalked: boolean; created: Date | null }>(
        `SELECT is_walked AS "isWalked", created FROM replica_list AS list
         LEFT JOIN replica_record AS record
           ON record.merchant = $1 AND record.kind = list.kind AND record.id = list.place
         WHERE list.merchant = $1`,
        [merchant],
      ),
    /**
     * Whether a copy is at most this old, counted from `since`. A merchant without a usable copy is,
     * because it is read from the service.
     */
    isFresh: async (merchant: string, since: string, maxAgeSeconds: number) => {
      const old = await database.query(
        `SELECT FROM replica_merchant WHERE merchant = $1 AND state = 'READY' AND left_at IS NULL
           AND as_of < $2::timestamptz - $3::float8 * interval '1 second'`,
        [merchant, since, maxAgeSeconds],
      );
      return old.length === 0;
    },
    /** Records that a filter may match, in order. */
    read: async (query: RecordQuery) => {
      const { sql, values } = toStatement(query);
      return database.query<{ id: string; record: string }>(sql, values);
    },
    /** Whether lists have all of these items. */
    hasAll: async (merchants: readonly string[], kind: string, ids: readonly string[]) => {
      if (ids.length === 0) return true;
      const found = await database.query<{ id: string }>(
        `SELECT DISTINCT id FROM replica_record
         WHERE merchant = ANY($1) AND kind = $2 AND id = ANY($3)`,
        [merchants, kind, ids],
      );
      return found.length === new Set(ids).size;
    },
    /** The records with these ids. */
    pick: (merchants: readonly string[], kind: string, ids: readonly string[]) =>
      database.query<{ id: string; record: string }>(
        `SELECT id, record FROM replica_record
         WHERE merchant = ANY($1) AND kind = $2 AND id = ANY($3) AND NOT deleted`,
        [merchants, kind, ids],
      ),
  };
}

/** In which columns records are sorted. Two merchants can have the same positions. */
const columnsOf = (order: RecordOrder | undefined, isOne: boolean) =>
  [...(order === undefined ? [] : [order.by]), 'position', ...(isOne ? [] : ['merchant'])].join(
    ', ',
  );

/**
 * Reads the records of each merchant in order, so that an index has them, and then sorts those of
 * all merchants.
 */
function toStatement(query: RecordQuery) {
  const { merchants, kind, limit, before, after, end, order } = query;
  const { values, bind } = createValues();
  const isOne = merchants.length === 1;
  const given = bind(isOne ? merchants[0] : merchants);
  const columns = columnsOf(order, isOne);
  const isDescending = (order?.isDescending ?? true) === (after === undefined);
  const [beyond, within] = isDescending ? ['<', '>'] : ['>', '<'];
  const behind = (operator: string, id: string | undefined) =>
    id === undefined
      ? []
      : [
          `(${columns}) ${operator} ${placeOf(columns, isOne ? given : `ANY(${given})`, kind, id, bind)}`,
        ];
  const conditions = [
    `merchant = ${isOne ? given : 'of_merchant'}`,
    conditionsOf(query, bind),
    ...(order === undefined ? [] : [`${order.by} IS NOT NULL`]),
    ...behind(beyond, before ?? after),
    ...behind(within, end),
  ];
  const sorted = columns
    .split(', ')
    .map((column) => `${column} ${isDescending ? 'DESC' : 'ASC'}`)
    .join(', ');
  const found = `SELECT * FROM replica_record WHERE ${conditions.join(' AND ')}
    ORDER BY ${sorted} LIMIT ${bind(limit)}`;
  if (isOne) return { sql: `SELECT id, record FROM (${found}) AS found`, values };
  const sql = `SELECT id, record FROM unnest(${given}::text[]) AS wanted (of_merchant)
    CROSS JOIN LATERAL (${found}) AS found
    ORDER BY ${sorted} LIMIT ${bind(limit)}`;
  return { sql, values };
}
