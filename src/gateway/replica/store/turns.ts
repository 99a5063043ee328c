import type { Database } from '../../../database/database.ts';
import { MARGIN } from '../../events/tell.ts';

/** A merchant whose turn it is. No other process works on it until the lease ends. */
export interface Claimed {
  readonly merchant: string;
  /** What its holder changes, it changes only while the epoch is still this one. */
  readonly epoch: number;
  readonly state: 'COPYING' | 'READY';
  /** When it was taken, by the clock of the database. */
  readonly takenAt: string;
  readonly polls: number;
  readonly failures: number;
  /** Whether a client, or a write, wanted it to be up to date in the last minute. */
  readonly isWanted: boolean;
  /** Seconds since sync last found something. */
  readonly quietSeconds: number;
  /** Whether every list should be walked again. */
  readonly isComparisonDue: boolean;
  /** Whether it was never copied to the end: its records show what happened long ago, too. */
  readonly isNew: boolean;
  /** What happened before was told, or is not told any more. */
  readonly toldTo: Date;
  /** Whether its events are sent as webhooks. */
  readonly hasEndpoint: boolean;
}

/** How long a process has a merchant if it never gives it back. */
export const LEASE = `interval '30 seconds'`;

/** Who works on which merchant, and when. Shared by all gateways on a database. */
export function createTurns(database: Database) {
  return {
    /**
     * Makes it the turn of these merchants, but of each at most once a second, and soon again for a
     * while. Returns those that are copied.
     */
    want: (merchants: readonly string[]) =>
      database.query<{ merchant: string }>(
        `UPDATE replica_merchant SET wanted_at = now(),
           next_at = least(next_at, greatest(now(), as_of + interval '1 second'))
         WHERE merchant = ANY($1) RETURNING merchant`,
        [merchants],
      ),
    /** Takes a merchant whose turn it is; undefined if there is none. */
    claim: async (): Promise<Claimed | undefined> => {
      const [claimed] = await database.query<Claimed>(
        `UPDATE replica_merchant SET leased_until = clock_timestamp() + ${LEASE}, epoch = nextval('replica_epoch')
         WHERE merchant = (
           SELECT merchant FROM replica_merchant
           WHERE next_at <= now() AND leased_until <= now() AND state <> 'STOPPED'
             AND left_at IS NULL
           ORDER BY next_at LIMIT 1 FOR UPDATE SKIP LOCKED)
         RETURNING merchant, epoch, state, polls, failures, clock_timestamp()::text AS "takenAt",
           wanted_at > now() - interval '1 minute' AS "isWanted",
           extract(epoch FROM now() - changed_at)::float8 AS "quietSeconds",
           compared_at < now() - interval '1 day' AS "isComparisonDue",
           as_of IS NULL AS "isNew", (SELECT feed.as_of - ${MARGIN} FROM replica_feed AS feed
             WHERE feed.merchant = replica_merchant.merchant) AS "toldTo",
           EXISTS (SELECT FROM webhook_endpoint AS endpoint
             WHERE endpoint.merchant = replica_merchant.merchant AND disabled IS NULL
           ) AS "hasEndpoint"`,
      );
      return claimed;
    },
    /** Gives a merchant back until its next turn: at once if somebody has wanted it meanwhile. */
    release: ({ merchant, epoch, takenAt }: Claimed, nextMs: number, failures = 0) =>
      database.query(
        `UPDATE replica_merchant SET leased_until = '-infinity', failures = $4,
           next_at = least(now() + $3::float8 * interval '1 millisecond',
             CASE WHEN $4 = 0 AND wanted_at > $5::timestamptz
               THEN greatest(now(), as_of + interval '1 second') END)
         WHERE merchant = $1 AND epoch = $2`,
        [merchant, epoch, nextMs, failures, takenAt],
      ),
    /** Stops sync of a merchant until the operator starts it over. */
    stop: ({ merchant, epoch }: Claimed, reason: string) =>
      database.query(
        `UPDATE replica_merchant SET leased_until = '-infinity', state = 'STOPPED', reason = $3
         WHERE merchant = $1 AND epoch = $2`,
        [merchant, epoch, reason],
      ),
  };
}
