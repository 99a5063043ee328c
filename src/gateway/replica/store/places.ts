import type { Database } from '../../../database/database.ts';
import type { Placed } from '../place-items.ts';

/** How many deleted items may be between two others. */
const DELETED_BETWEEN = 100;

/** Where sync is in the lists of a merchant. */
export function createPlaces(database: Database) {
  return {
    /** The lists of a merchant, and how far each was walked. */
    lists: (merchant: string) =>
      database.query<{ kind: string; place: string | null; isWalked: boolean }>(
        `SELECT kind, place, is_walked AS "isWalked" FROM replica_list WHERE merchant = $1`,
        [merchant],
      ),
    /**
     * Counts what is stored, so that the database chooses the right index. It would do so by itself
     * only later, and PGlite never.
     */
    analyze: () => database.query('ANALYZE replica_record'),
    /** The place of an item in its list. */
    positionOf: async (merchant: string, kind: string, id: string) => {
      const [found] = await database.query<Placed>(
        `SELECT id, position FROM replica_record WHERE merchant = $1 AND kind = $2 AND id = $3`,
        [merchant, kind, id],
      );
      return found?.position;
    },
    /** The newest items of a list, newest first. */
    head: (merchant: string, kind: string, limit: number) =>
      database.query<Placed>(
        `SELECT id, position FROM replica_record
         WHERE merchant = $1 AND kind = $2 AND NOT deleted ORDER BY position DESC LIMIT $3`,
        [merchant, kind, limit],
      ),
    /**
     * The items of a list with these ids, and those behind a place, in the order of reading. Items
     * that the service has deleted keep their places.
     */
    around: (
      merchant: string,
      kind: string,
      ids: readonly string[],
      start: number | undefined,
      direction: 1 | -1,
    ) =>
      database.query<Placed>(
        `SELECT id, position FROM replica_record
         WHERE merchant = $1 AND kind = $2 AND id = ANY($3)
         UNION
         (SELECT id, position FROM replica_record
          WHERE merchant = $1 AND kind = $2
            ${start === undefined ? '' : `AND position ${direction === 1 ? '>' : '<'} $5`}
          ORDER BY position ${direction === 1 ? 'ASC' : 'DESC'} LIMIT $4)
         ORDER BY position ${direction === 1 ? 'ASC' : 'DESC'}`,
        [
          merchant,
          kind,
          ids,
          ids.length + DELETED_BETWEEN,
          ...(start === undefined ? [] : [start]),
        ],
      ),
  };
}
