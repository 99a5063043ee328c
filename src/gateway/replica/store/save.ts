import type { Queryable } from '../../../database/database.ts';
import type { StoredRecord } from '../copied-list.ts';

/** A record with its place in its list. */
export type PlacedRecord = StoredRecord & { readonly position: number };

/**
 * Stores what was read. An older record never replaces a newer one: the one with more entries in
 * its trail is newer, or the one that was read later. Returns what was stored: a record that was
 * read again and is the same is, only if it was due.
 *
 * @param readAt when the read began
 */
export function save(
  tx: Queryable,
  merchant: string,
  kind: string,
  records: readonly PlacedRecord[],
  readAt: string,
) {
  return tx.query<{ id: string; isNew: boolean; differs: boolean; old: string | null }>(
    `WITH given AS (
           SELECT * FROM jsonb_to_recordset($3::jsonb) AS given (id text, position float8,
             record text, version integer, created timestamptz, amount bigint, labels text[],
             words text, groups text[], sums bigint[], shows text[], due_s integer)
         ), before AS (
           SELECT id, old.record, due_at, deleted,
             -- What this read still does not show, unless it was read often enough.
             CASE WHEN given.shows IS NULL OR reads_left <= 1 THEN '{}'
               ELSE ARRAY(SELECT unnest(expected) EXCEPT SELECT unnest(given.shows)) END AS expected
           FROM replica_record AS old JOIN given USING (id)
           WHERE merchant = $1 AND kind = $2
         ), saved AS (
           INSERT INTO replica_record AS old (merchant, kind, id, position, record, version, read_at,
             created, amount, labels, words, groups, sums, due_at)
           SELECT $1, $2, id, position, record, version, $4::timestamptz, created, amount, labels,
             words, groups, sums, CASE due_s WHEN 0 THEN '-infinity'
               ELSE now() + due_s * interval '1 second' END
           FROM given
           ON CONFLICT (merchant, kind, id) DO UPDATE SET record = excluded.record,
             version = excluded.version, read_at = excluded.read_at, created = excluded.created,
             amount = excluded.amount, labels = excluded.labels, words = excluded.words,
             groups = excluded.groups, sums = excluded.sums,
             (expected, due_at) = (SELECT expected, CASE WHEN expected = '{}' THEN excluded.due_at
               ELSE now() + interval '1 second' END FROM before WHERE before.id = old.id),
             reads_left = greatest(0, old.reads_left - 1),
             deleted = false
           WHERE (excluded.version > old.version
               OR excluded.version = old.version AND excluded.read_at >= old.read_at)
             AND (old.record <> excluded.record OR old.due_at IS NOT NULL OR old.deleted)
           RETURNING id, record
         )
         SELECT saved.id, before.id IS NULL AS "isNew", before.record AS old,
           coalesce(before.deleted, false)
             OR before.due_at IS NULL AND before.record IS DISTINCT FROM saved.record AS differs
         FROM saved LEFT JOIN before USING (id)`,
    [merchant, kind, JSON.stringify(records), readAt],
  );
}
