import type { Database, Queryable } from '../../../database/database.ts';
import type { Fact } from '../../events/fact.ts';
import { tell } from '../../events/tell.ts';
import { type PlacedRecord, save } from './save.ts';
import { type Claimed, LEASE } from './turns.ts';

/** Another process has taken over the merchant. Nothing was stored. */
export class LeaseLostError extends Error {}

/** How often a transaction is read until it shows the lines and disputes that name it. */
const MAX_READS = 10;
/** What was read shortly before can be missing because the service reads from a copy. */
const LAG = `interval '5 minutes'`;

/** Does several things at once, if this process still has the merchant. */
export function change<T>(
  database: Database,
  { merchant, epoch }: Claimed,
  work: (tx: Changes) => Promise<T>,
): Promise<T> {
  return database.transaction(async (tx) => {
    // The lease does not end while there is progress.
    const held = await tx.query(
      `UPDATE replica_merchant SET leased_until = clock_timestamp() + ${LEASE}
       WHERE merchant = $1 AND epoch = $2 RETURNING merchant`,
      [merchant, epoch],
    );
    if (held.length === 0) throw new LeaseLostError();
    return work(createChanges(tx, merchant));
  });
}

/** What the holder of a merchant changes at once. */
export type Changes = ReturnType<typeof createChanges>;

function createChanges(tx: Queryable, merchant: string) {
  return {
    save: (kind: string, records: readonly PlacedRecord[], readAt: string) =>
      save(tx, merchant, kind, records, readAt),
    tell: (facts: readonly Fact[]) => tell(tx, merchant, facts),
    /** Reads these records again: now, or in a second if the service showed an older state. */
    makeDue: (kind: string, ids: readonly string[], isLater = false) =>
      tx.query(
        `UPDATE replica_record
         SET due_at = ${isLater ? `now() + interval '1 second'` : `'-infinity'`}
         WHERE merchant = $1 AND kind = $2 AND id = ANY($3) AND NOT deleted`,
        [merchant, kind, ids],
      ),
    /** Reads the transactions again that new lines or disputes name, until they show them. */
    expectShown: (kind: string, items: readonly { readonly id: string; readonly of: string }[]) =>
      tx.query(
        `UPDATE replica_record SET due_at = '-infinity', reads_left = ${MAX_READS},
           expected = expected || item.ids
         FROM (SELECT "of", array_agg(id) AS ids
           FROM jsonb_to_recordset($3::jsonb) AS item (id text, "of" text) GROUP BY "of") AS item
         WHERE merchant = $1 AND kind = $2 AND replica_record.id = item.of AND NOT deleted`,
        [merchant, kind, JSON.stringify(items)],
      ),
    /**
     * Marks records that the service does not have any more. Returns how many.
     *
     * @param readAt when the list was read that lacks them; undefined if the service was asked for
     *   each. What was read shortly before can be missing because the service reads from a copy.
     */
    markDeleted: async (kind: string, ids: readonly string[], readAt?: string) => {
      const marked = await tx.query(
        `UPDATE replica_record SET deleted = true, due_at = NULL
         WHERE merchant = $1 AND kind = $2 AND id = ANY($3) AND NOT deleted
           AND ($4::timestamptz IS NULL OR read_at < $4::timestamptz - ${LAG}) RETURNING id`,
        [merchant, kind, ids, readAt ?? null],
      );
      return marked.length;
    },
    /** Marks what is behind the last item of a list; all of it if the list is empty. */
    markDeletedBehind: async (kind: string, last: string | null, readAt: string) => {
      const marked = await tx.query(
        `UPDATE replica_record SET deleted = true, due_at = NULL
         WHERE merchant = $1 AND kind = $2 AND NOT deleted AND read_at < $4::timestamptz - ${LAG}
           AND ($3::text IS NULL OR position < (SELECT position FROM replica_record
             WHERE merchant = $1 AND kind = $2 AND id = $3)) RETURNING id`,
        [merchant, kind, last, readAt],
      );
      return marked.length;
    },
    ...createWalk(tx, merchant),
    countRepaired: (count: number) =>
      tx.query('UPDATE replica_merchant SET repaired = repaired + $2 WHERE merchant = $1', [
        merchant,
        count,
      ]),
    /**
     * Ends a poll. What was shown before `asOf` is now stored, unless a record that a line names
     * could not be read yet, or does not show it. Returns whether it is stored.
     */
    polled: async (asOf: string, hasChanged: boolean) => {
      const [row] = await tx.query<{ isLeft: boolean }>(
        `UPDATE replica_merchant SET polls = polls + 1,
           changed_at = CASE WHEN $3 THEN now() ELSE changed_at END,
           state = CASE WHEN named.is_left THEN state ELSE 'READY' END,
           as_of = CASE WHEN named.is_left THEN as_of ELSE $2::timestamptz END
         FROM (SELECT EXISTS (SELECT FROM replica_record
           WHERE merchant = $1 AND (due_at = '-infinity' OR expected <> '{}')
             AND NOT deleted) AS is_left) AS named
         WHERE merchant = $1 RETURNING named.is_left AS "isLeft"`,
        [merchant, asOf, hasChanged],
      );
      if (row?.isLeft !== false) return false;
      await tx.query(
        `INSERT INTO replica_feed (merchant, as_of) VALUES ($1, $2)
         ON CONFLICT (merchant) DO UPDATE SET as_of = excluded.as_of`,
        [merchant, asOf],
      );
      return true;
    },
  };
}

/** How far the lists of a merchant were walked. */
function createWalk(tx: Queryable, merchant: string) {
  return {
    /** Notes how far a list was walked. */
    walkTo: (kind: string, place: string | null, isWalked: boolean) =>
      tx.query(
        `UPDATE replica_list SET place = $3, is_walked = $4 WHERE merchant = $1 AND kind = $2`,
        [merchant, kind, place, isWalked],
      ),
    /** Walks all lists again. */
    walkAgain: () =>
      tx.query('UPDATE replica_list SET place = NULL, is_walked = false WHERE merchant = $1', [
        merchant,
      ]),
    /** Does not answer from the copy until all lists were walked again. What they lack is gone. */
    copyAgain: async () => {
      await tx.query(`UPDATE replica_merchant SET state = 'COPYING' WHERE merchant = $1`, [
        merchant,
      ]);
      await tx.query(`UPDATE replica_record SET read_at = '-infinity' WHERE merchant = $1`, [
        merchant,
      ]);
      await tx.query(
        'UPDATE replica_list SET place = NULL, is_walked = false WHERE merchant = $1',
        [merchant],
      );
    },
    /** Notes that all lists were walked. */
    compared: () =>
      tx.query('UPDATE replica_merchant SET compared_at = now() WHERE merchant = $1', [merchant]),
  };
}
