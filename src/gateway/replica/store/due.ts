import type { Database } from '../../../database/database.ts';
import type { Placed } from '../place-items.ts';

/** What is due so soon is read in the same call. Less than the pause before a read is repeated. */
const SOON = `interval '500 milliseconds'`;

/** What sync should read again. */
export function createDue(database: Database) {
  return {
    /** The records that should be read again, newest first. */
    due: (merchant: string, kind: string, limit: number) =>
      database.query<Placed & { version: number }>(
        `SELECT id, position, version FROM replica_record
         WHERE merchant = $1 AND kind = $2 AND due_at <= now() + ${SOON} AND NOT deleted
         ORDER BY position DESC LIMIT $3`,
        [merchant, kind, limit],
      ),
    /** How many of these are among the `size` items from a place on, towards older ones. */
    countNear: async (
      merchant: string,
      kind: string,
      ids: readonly string[],
      from: number,
      size: number,
    ) => {
      const [row] = await database.query<{ count: number }>(
        `SELECT count(*) FILTER (WHERE id = ANY($3)) AS count FROM (
           SELECT id FROM replica_record
           WHERE merchant = $1 AND kind = $2 AND NOT deleted AND position <= $4
           ORDER BY position DESC LIMIT $5) AS near`,
        [merchant, kind, ids, from, size],
      );
      return row?.count ?? 0;
    },
    /** The item just newer than a place. */
    newerThan: async (merchant: string, kind: string, position: number) => {
      const [row] = await database.query<Placed>(
        `SELECT id, position FROM replica_record
         WHERE merchant = $1 AND kind = $2 AND NOT deleted AND position > $3
         ORDER BY position ASC LIMIT 1`,
        [merchant, kind, position],
      );
      return row;
    },
  };
}
