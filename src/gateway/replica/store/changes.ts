import type { Database, Queryable } from '../../../database/database.ts';
import type { StoredRecord } from '../copied-list.ts';
import { type Claimed, LEASE } from './turns.ts';

/** Another process has taken over the merchant. Nothing was stored. */
export class LeaseLostError extends Error {}

/** A record with its place in its list. */
export type PlacedRecord = StoredRecord & { readonly position: number };

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
    /**
     * Stores what was read. An older record never replaces a newer one: the one with more entries
     * in its trail is newer, or the one that was read later. Returns what was stored: a record that
     * was read again and is the same is, only if it was due.
     *
     * @param readAt when the read began
     */
    save: async (kind: string, records: readonly PlacedRecord[], readAt: string) => {
      const saved = await tx.query<{ id: string; isNew: boolean; differs: boolean }>(
        `WITH before AS (
           SELECT id, record, due_at, deleted FROM replica_record
           WHERE merchant = $1 AND kind = $2 AND id = ANY($5)
         ), saved AS (
           INSERT INTO replica_record AS old (merchant, kind, id, position, record, version, read_at,
             created, amount, labels, words, groups, sums, due_at)
           SELECT $1, $2, id, position, record, version, $4::timestamptz, created, amount, labels,
             words, groups, sums, CASE due_s WHEN 0 THEN '-infinity'
               ELSE now() + due_s * interval '1 second' END
           FROM jsonb_to_recordset($3::jsonb) AS given (id text, position float8, record text,
             version integer, created timestamptz, amount bigint, labels text[], words text,
             groups text[], sums bigint[], due_s integer)
           ON CONFLICT (merchant, kind, id) DO UPDATE SET record = excluded.record,
             version = excluded.version, read_at = excluded.read_at, created = excluded.created,
             groups = excluded.groups, sums = excluded.sums, amount = excluded.amount, labels = excluded.labels, words = excluded.words,
             due_at = excluded.due_at, deleted = false
           WHERE (excluded.version > old.version
               OR excluded.version = old.version AND excluded.read_at >= old.read_at)
             AND (old.record <> excluded.record OR old.due_at IS NOT NULL OR old.deleted)
           RETURNING id, record
         )
         SELECT saved.id, before.id IS NULL AS "isNew",
           coalesce(before.deleted, false)
             OR before.due_at IS NULL AND before.record IS DISTINCT FROM saved.record AS differs
         FROM saved LEFT JOIN before USING (id)`,
        [merchant, kind, JSON.stringify(records), readAt, records.map(({ id }) => id)],
      );
      return saved;
    },
    /** Reads these records again: now, or in a second if the service showed an older state. */
    makeDue: (kind: string, ids: readonly string[], isLater = false) =>
      tx.query(
        `UPDATE replica_record
         SET due_at = ${isLater ? `now() + interval '1 second'` : `'-infinity'`}
         WHERE merchant = $1 AND kind = $2 AND id = ANY($3) AND NOT deleted`,
        [merchant, kind, ids],
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
    /** Does not answer from the copy until all lists were walked again. */
    copyAgain: async () => {
      await tx.query(`UPDATE replica_merchant SET state = 'COPYING' WHERE merchant = $1`, [
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
    countRepaired: (count: number) =>
      tx.query('UPDATE replica_merchant SET repaired = repaired + $2 WHERE merchant = $1', [
        merchant,
        count,
      ]),
    /**
     * Ends a poll. What was shown before `asOf` is now stored, unless a record that a line names
     * could not be read yet.
     */
    polled: (asOf: string, hasChanged: boolean) =>
      tx.query(
        `UPDATE replica_merchant SET polls = polls + 1,
           changed_at = CASE WHEN $3 THEN now() ELSE changed_at END,
           state = CASE WHEN named.is_left THEN state ELSE 'READY' END,
           as_of = CASE WHEN named.is_left THEN as_of ELSE $2::timestamptz END
         FROM (SELECT EXISTS (SELECT FROM replica_record
           WHERE merchant = $1 AND due_at = '-infinity' AND NOT deleted) AS is_left) AS named
         WHERE merchant = $1`,
        [merchant, asOf, hasChanged],
      ),
  };
}
