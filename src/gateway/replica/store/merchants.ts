import type { Database } from '../../../database/database.ts';

/** A merchant as the operator sees it. */
export interface DescribedMerchant {
  readonly merchant: string;
  /** `LEFT` if the gateway's app has no access to it any more. */
  readonly state: 'COPYING' | 'READY' | 'STOPPED' | 'LEFT';
  readonly reason: string | null;
  readonly asOf: Date | null;
  readonly ageSeconds: number | null;
  readonly records: number;
  readonly repaired: number;
}

/** Which merchants are copied. */
export function createMerchants(database: Database) {
  return {
    /** Whether this process should list the merchants now. For all gateways, once in a while. */
    takeMerchants: async (everySeconds: number) => {
      const taken = await database.query(
        `UPDATE replica_calls SET merchants_at = now() + $1 * interval '1 second'
         WHERE merchants_at <= now() RETURNING id`,
        [everySeconds],
      );
      return taken.length > 0;
    },
    /** Lists the merchants again soon. */
    listAgain: () => database.query('UPDATE replica_calls SET merchants_at = now()'),
    /**
     * These and no others are copied. Those that are gone are deleted after a while. A merchant that
     * is new at the service, too, has a feed from its first payment on.
     *
     * @param merchants when each was created
     */
    setMerchants: (
      merchants: ReadonlyMap<string, Date | null>,
      kinds: readonly string[],
      keepDays: number,
    ) =>
      database.transaction(async (tx) => {
        const ids = [...merchants.keys()];
        await tx.query(
          `INSERT INTO replica_feed (merchant, as_of)
           SELECT merchant, created FROM unnest($1::text[], $2::timestamptz[]) AS new (merchant, created)
           WHERE created > now() - interval '1 day'
             AND NOT EXISTS (SELECT FROM replica_merchant AS known WHERE known.merchant = new.merchant)
           ON CONFLICT DO NOTHING`,
          [ids, [...merchants.values()].map((created) => created?.toISOString() ?? null)],
        );
        await tx.query(
          `INSERT INTO replica_merchant (merchant) SELECT unnest($1::text[])
           ON CONFLICT (merchant) DO UPDATE SET left_at = NULL
           WHERE replica_merchant.left_at IS NOT NULL`,
          [ids],
        );
        await tx.query(
          `INSERT INTO replica_list (merchant, kind)
           SELECT merchant, kind FROM unnest($1::text[]) AS merchant, unnest($2::text[]) AS kind
           ON CONFLICT DO NOTHING`,
          [ids, kinds],
        );
        await tx.query(
          `UPDATE replica_merchant SET left_at = now() WHERE left_at IS NULL AND merchant <> ALL($1)`,
          [ids],
        );
        await tx.query(
          `WITH gone AS (
             DELETE FROM replica_merchant WHERE left_at < now() - $1 * interval '1 day'
             RETURNING merchant)
           DELETE FROM replica_feed WHERE merchant IN (SELECT merchant FROM gone)`,
          [keepDays],
        );
      }),
    /** Every merchant, with how far it is copied. */
    describe: () =>
      database.query<DescribedMerchant>(
        `SELECT merchant, CASE WHEN left_at IS NULL THEN state ELSE 'LEFT' END AS state, reason,
           as_of AS "asOf", repaired, count(id) AS records,
           extract(epoch FROM now() - as_of)::float8 AS "ageSeconds"
         FROM replica_merchant LEFT JOIN replica_record USING (merchant)
         GROUP BY merchant ORDER BY merchant`,
      ),
    /** Copies a merchant again from the beginning; all if none is given. Returns how many. */
    startOver: (merchant?: string) =>
      database.transaction(async (tx) => {
        const gone = await tx.query(
          'DELETE FROM replica_merchant WHERE $1::text IS NULL OR merchant = $1 RETURNING merchant',
          [merchant ?? null],
        );
        await tx.query('UPDATE replica_calls SET merchants_at = now()');
        return gone.length;
      }),
  };
}
