import type { Database } from '../../../database/database.ts';
import { MARGIN } from '../../events/tell.ts';

/** What happened so shortly before a merchant was listed belongs to its feed, too. */
const LATE = `interval '10 seconds'`;

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
    listAgain: (inSeconds = 0) =>
      database.query(`UPDATE replica_calls SET merchants_at = now() + $1 * interval '1 second'`, [
        inSeconds,
      ]),
    /**
     * These and no others are copied. Those that are gone are deleted after a while. The feed of one
     * that is new here begins now, or with the merchant itself if it was created in the last day.
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
           SELECT merchant, CASE WHEN created > now() - interval '1 day' THEN created
             ELSE now() + ${MARGIN} - ${LATE} END
           FROM unnest($1::text[], $2::timestamptz[]) AS new (merchant, created)
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
             RETURNING merchant
           ), closed AS (
             DELETE FROM webhook_endpoint WHERE merchant IN (SELECT merchant FROM gone))
           DELETE FROM replica_feed WHERE merchant IN (SELECT merchant FROM gone)`,
          [keepDays],
        );
      }),
    ...createOverview(database),
  };
}

/** What the operator sees and does. */
function createOverview(database: Database) {
  return {
    /** Every merchant, with how far it is copied. */
    describe: () =>
      database.query<DescribedMerchant>(
        `SELECT merchant, CASE WHEN left_at IS NULL THEN state ELSE 'LEFT' END AS state, reason,
           as_of AS "asOf", repaired, count(id) AS records,
           extract(epoch FROM now() - as_of)::float8 AS "ageSeconds"
         FROM replica_merchant LEFT JOIN replica_record USING (merchant)
         GROUP BY merchant ORDER BY merchant`,
      ),
    /** Copies a merchant again from the beginning. Returns whether it was copied before. */
    startOver: (merchant: string) =>
      database.transaction(async (tx) => {
        const gone = await tx.query(
          'DELETE FROM replica_merchant WHERE merchant = $1 RETURNING merchant',
          [merchant],
        );
        await tx.query('UPDATE replica_calls SET merchants_at = now()');
        return gone.length > 0;
      }),
    /** Forgets everything that the service showed, because it has other records now. */
    forgetAll: () =>
      database.transaction(async (tx) => {
        await tx.query('DELETE FROM replica_merchant');
        await tx.query('DELETE FROM replica_feed');
        await tx.query('DELETE FROM webhook_delivery');
        await tx.query('UPDATE webhook_endpoint SET seq = 0');
        await tx.query('UPDATE replica_calls SET merchants_at = now()');
      }),
  };
}
