import type { Database } from '../../../database/database.ts';
import { type Narrowing, toWord, UNREADABLE } from '../copied-list.ts';

/** What the replica has of a merchant. */
export interface MerchantCopy {
  readonly state: 'COPYING' | 'READY' | 'STOPPED';
  readonly reason: string | null;
  readonly asOf: Date | null;
}

/** Which records to read, in the terms of the payments service. */
export interface RecordQuery {
  readonly merchant: string;
  readonly kind: string;
  readonly narrowing: Narrowing;
  readonly limit: number;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** The item before which the list ends, in the direction of reading. */
  readonly end?: string | undefined;
}

/** What queries read. */
export function createAnswers(database: Database) {
  return {
    /** What the replica has of a merchant; undefined if it is not copied. */
    find: async (merchant: string): Promise<MerchantCopy | undefined> => {
      const [copy] = await database.query<MerchantCopy>(
        `SELECT state, reason, as_of AS "asOf" FROM replica_merchant
         WHERE merchant = $1 AND left_at IS NULL`,
        [merchant],
      );
      return copy;
    },
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
    /** Records that a filter may match, in the order of the service. */
    read: async (query: RecordQuery) => {
      const { sql, values } = toStatement(query);
      return database.query<{ id: string; record: string }>(sql, values);
    },
    /** Whether a list has all of these items. */
    hasAll: async (merchant: string, kind: string, ids: readonly string[]) => {
      if (ids.length === 0) return true;
      const found = await database.query(
        'SELECT FROM replica_record WHERE merchant = $1 AND kind = $2 AND id = ANY($3)',
        [merchant, kind, ids],
      );
      return found.length === new Set(ids).size;
    },
    /** The records with these ids. */
    pick: (merchant: string, kind: string, ids: readonly string[]) =>
      database.query<{ id: string; record: string }>(
        `SELECT id, record FROM replica_record
         WHERE merchant = $1 AND kind = $2 AND id = ANY($3) AND NOT deleted`,
        [merchant, kind, ids],
      ),
  };
}

function toStatement({ merchant, kind, narrowing, limit, before, after, end }: RecordQuery) {
  const values: unknown[] = [merchant, kind];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const placeOf = (id: string) =>
    `(SELECT position FROM replica_record WHERE merchant = $1 AND kind = $2 AND id = ${bind(id)})`;
  const conditions = [
    'merchant = $1 AND kind = $2 AND NOT deleted',
    ...(before === undefined ? [] : [`position < ${placeOf(before)}`]),
    ...(after === undefined ? [] : [`position > ${placeOf(after)}`]),
    ...(end === undefined ? [] : [`position ${after === undefined ? '>' : '<'} ${placeOf(end)}`]),
    ...narrow(narrowing, bind),
  ];
  const sql = `SELECT id, record FROM replica_record WHERE ${conditions.join(' AND ')}
    ORDER BY position ${after === undefined ? 'DESC' : 'ASC'} LIMIT ${bind(limit)}`;
  return { sql, values };
}

/** Only a record whose columns cannot be read has no time of creation. */
const orUnreadable = (condition: string) => `(${condition} OR created IS NULL)`;

function narrow(
  { created, amount, labels, texts }: Narrowing,
  bind: (value: unknown) => string,
): string[] {
  const range = (column: string, operator: string, limit: unknown) =>
    limit == null ? [] : [orUnreadable(`${column} ${operator} ${bind(limit)}`)];
  const part = (text: string) => `strpos(words, ${bind(toWord(text))}) > 0`;
  const isOne = (amounts: readonly bigint[]) =>
    amounts.length === 0 ? 'false' : `amount = ANY(${bind(amounts.map(String))}::bigint[])`;
  return [
    ...range('created', '>=', created?.from),
    ...range('created', '<', created?.to),
    ...range('amount', '>=', amount?.min),
    ...range('amount', '<=', amount?.max),
    ...labels.map((some) => `labels && ${bind([...some, UNREADABLE])}::text[]`),
    ...texts.map(({ part: text, amounts }) => orUnreadable(`${part(text)} OR ${isOne(amounts)}`)),
  ];
}
