import type { Database } from '../../database/database.ts';

/** An event, with the records that it is about, as the replica has them now. */
export interface FeedEvent {
  /** Its merchant and its number. */
  readonly id: string;
  readonly merchant: string;
  /** Its number among the events of the merchant: 1, 2, 3 and so on. */
  readonly seq: number;
  readonly kind: string;
  readonly happened: Date | null;
  readonly seen: Date;
  readonly transaction: string | null;
  readonly itemKind: string | null;
  readonly item: string | null;
  /** JSON. */
  readonly entry: string | null;
  /** The transaction, as JSON; null if the replica does not have it. */
  readonly transactionRecord: string | null;
  /** The line, dispute or fraud alert, as JSON; null if the replica does not have it. */
  readonly itemRecord: string | null;
}

/** Which events to read. */
export interface FeedQuery {
  readonly merchant: string;
  /** Only events with a greater number. */
  readonly after?: number | undefined;
  /** Only events with a smaller number. */
  readonly before?: number | undefined;
  readonly kinds?: readonly string[] | null | undefined;
  readonly limit: number;
  /** Whether to read the newest first. */
  readonly backward?: boolean;
}

/** How far the feed of a merchant goes. */
export interface FeedEnds {
  readonly merchant: string;
  /** The number of the newest event; 0 if there was none. */
  readonly newest: number;
  /** The number of the oldest event that is kept; one more than the newest if there is none. */
  readonly oldest: number;
  /** Since when events are kept; null if all are. */
  readonly since: Date | null;
  /** When the feed was made; null before. After a reset of the sandbox, it is another one. */
  readonly made: string | null;
}

/** Reads the feeds of merchants. */
export function createFeed(database: Database) {
  return {
    /** Events of a merchant, oldest first unless they are read backward. */
    readEvents: ({ merchant, after, before, kinds, limit, backward = false }: FeedQuery) =>
      database.query<FeedEvent>(
        `SELECT event.merchant || '-' || seq AS id, event.merchant, seq, event.kind, happened, seen, transaction,
           item_kind AS "itemKind", item, entry, paid.record AS "transactionRecord",
           other.record AS "itemRecord"
         FROM replica_event AS event
         LEFT JOIN replica_record AS paid
           ON paid.merchant = $1 AND paid.kind = 'txn' AND paid.id = transaction
         LEFT JOIN replica_record AS other
           ON other.merchant = $1 AND other.kind = item_kind AND other.id = item
         WHERE event.merchant = $1 AND seq > $2 AND seq < $3
           AND ($4::text[] IS NULL OR event.kind = ANY($4))
         ORDER BY seq ${backward ? 'DESC' : 'ASC'} LIMIT $5`,
        [merchant, after ?? 0, before ?? Number.MAX_SAFE_INTEGER, kinds ?? null, limit],
      ),
    /** How far the feeds of merchants go. Those whose copies are not kept up to date have none. */
    feedEnds: (merchants: readonly string[]) =>
      database.query<FeedEnds>(
        `SELECT merchant, coalesce(seq, 0) AS newest, coalesce(trimmed, 0) + 1 AS oldest,
           trimmed_to AS since, made::text
         FROM replica_merchant LEFT JOIN replica_feed USING (merchant)
         WHERE merchant = ANY($1) AND left_at IS NULL AND state <> 'STOPPED'`,
        [merchants],
      ),
    /** The number of the last event of a merchant that was seen before a time; 0 if there is none. */
    lastSeenBefore: async (merchant: string, time: Date) => {
      const [row] = await database.query<{ seq: number }>(
        `SELECT coalesce(max(seq), (SELECT trimmed FROM replica_feed WHERE merchant = $1), 0) AS seq
         FROM replica_event WHERE merchant = $1 AND seen < $2`,
        [merchant, time],
      );
      return row?.seq ?? 0;
    },
    /** Deletes events that were seen so many days ago. */
    trimEvents: (days: number) =>
      database.query(
        `WITH old AS (
           DELETE FROM replica_event WHERE seen < now() - $1 * interval '1 day'
           RETURNING merchant, seq, seen)
         UPDATE replica_feed AS feed SET trimmed = old.seq, trimmed_to = now() - $1 * interval '1 day'
         FROM (SELECT merchant, max(seq) AS seq FROM old GROUP BY merchant) AS old
         WHERE feed.merchant = old.merchant`,
        [days],
      ),
  };
}
