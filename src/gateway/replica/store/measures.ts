import type { Database } from '../../../database/database.ts';

/** The state of the replica, for metrics. All gateways on a database have the same. */
export interface ReplicaMeasures {
  /** How many merchants are in each state. */
  readonly merchants: Readonly<Record<'COPYING' | 'READY' | 'STOPPED', number>>;
  /** Seconds that the oldest copy is old. */
  readonly lagSeconds: number;
  /** Merchants whose copy is older than ten times the pause between two polls. */
  readonly overdue: number;
  /** Records, as the database estimates them. */
  readonly records: number;
  readonly repaired: number;
  readonly calls: number;
  /** Seconds from what happened to its event, at most, in the last five minutes. */
  readonly eventLagSeconds: number;
  /** Deliveries that are attempted again, and how old the oldest is. */
  readonly pending: number;
  readonly oldestSeconds: number;
  /** Endpoints to which nothing is sent. */
  readonly disabled: number;
}

/** Measures the replica. */
export function createMeasures(database: Database) {
  return {
    /** @param pauses the pauses between two polls, in seconds */
    measure: async (pauses: {
      readonly wanted: number;
      readonly least: number;
      readonly most: number;
    }): Promise<ReplicaMeasures> => {
      const [row] = await database.query<
        Omit<ReplicaMeasures, 'merchants'> & ReplicaMeasures['merchants']
      >(
        `WITH aged AS (
           SELECT state, repaired, extract(epoch FROM now() - as_of)::float8 AS age,
             CASE WHEN wanted_at > now() - interval '1 minute' THEN $1::float8
               ELSE least($3::float8, greatest($2::float8,
                 extract(epoch FROM now() - changed_at)::float8 / 10)) END AS pause
           FROM replica_merchant WHERE left_at IS NULL)
         SELECT count(*) FILTER (WHERE state = 'COPYING') AS "COPYING",
           count(*) FILTER (WHERE state = 'READY') AS "READY",
           count(*) FILTER (WHERE state = 'STOPPED') AS "STOPPED",
           coalesce(max(age) FILTER (WHERE state = 'READY'), 0) AS "lagSeconds",
           count(*) FILTER (WHERE state = 'READY' AND age > 10 * pause) AS overdue,
           coalesce(sum(repaired), 0)::bigint AS repaired,
           (SELECT greatest(0, reltuples)::float8 FROM pg_class
            WHERE oid = 'replica_record'::regclass) AS records,
           (SELECT calls FROM replica_calls) AS calls,
           (SELECT coalesce(max(extract(epoch FROM seen - happened)), 0)::float8
            FROM replica_event WHERE seen > now() - interval '5 minutes') AS "eventLagSeconds",
           (SELECT count(*) FROM webhook_delivery WHERE next_at IS NOT NULL) AS pending,
           (SELECT coalesce(extract(epoch FROM now() - min(created)), 0)::float8
            FROM webhook_delivery WHERE next_at IS NOT NULL) AS "oldestSeconds",
           (SELECT count(*) FROM webhook_endpoint WHERE disabled IS NOT NULL) AS disabled
         FROM aged`,
        [pauses.wanted, pauses.least, pauses.most],
      );
      if (row === undefined) throw new Error('An aggregate has a row.');
      const { COPYING, READY, STOPPED, ...others } = row;
      return { ...others, merchants: { COPYING, READY, STOPPED } };
    },
  };
}
