import type { Database, Queryable } from '../../database/database.ts';
import type { Attempted } from './send.ts';

/** Where a merchant's events are sent. */
export interface Endpoint {
  readonly merchant: string;
  readonly id: string;
  readonly url: string;
  /** The kinds of events that are sent; null for all. */
  readonly kinds: readonly string[] | null;
  /** Why nothing is sent; null while it is enabled. */
  readonly disabled: string | null;
  /** Since when every attempt has failed. */
  readonly failingSince: Date | null;
  readonly created: Date;
}

/** An event for an endpoint, or a test. */
export interface Delivery {
  readonly merchant: string;
  readonly endpoint: string;
  /** Its number among those of its endpoint. */
  readonly number: number;
  /** The number of the event; null for a test. */
  readonly seq: number | null;
  readonly state: 'PENDING' | 'SUCCEEDED' | 'FAILED';
  /** When it is attempted again; null if it is not. */
  readonly next: Date | null;
  readonly created: Date;
}

/** An endpoint as the operator sees it. Never shows a secret. */
export interface DescribedEndpoint extends Endpoint {
  /** Deliveries that were not accepted yet, and when the oldest was made. */
  readonly pending: number;
  readonly oldest: Date | null;
}

/** What identifies a delivery. */
export type DeliveryKey = Pick<Delivery, 'merchant' | 'endpoint' | 'number'>;

/** Which deliveries to read, in the direction of reading. */
export interface DeliveryQuery extends Omit<DeliveryKey, 'number'> {
  readonly states: readonly string[] | null;
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly backward: boolean;
  readonly limit: number;
}

/** An attempt of a delivery. */
export interface Attempt extends Attempted {
  readonly number: number;
  readonly at: Date;
}

/** A delivery whose turn it is. */
export interface Due extends Pick<Delivery, 'merchant' | 'endpoint' | 'number' | 'seq'> {
  readonly url: string;
  readonly secrets: readonly string[];
  /** Attempts before this one. */
  readonly attempts: number;
}

/** How long a process has a delivery if it never says how it ended. */
const LEASE = `interval '1 minute'`;
/**
 * Attempts at the same time, so that what hangs holds nobody else up: at an endpoint that works, at
 * one that does not or is new, and at all endpoints of a merchant.
 */
const PER_ENDPOINT = 4;
const PER_UNPROVEN_ENDPOINT = 1;
const PER_MERCHANT = 20;
/** Most tests of an endpoint that were not sent yet. */
const MAX_TESTS = 10;
/** After so long without a success, an endpoint is disabled. */
const GIVE_UP = `interval '5 days'`;

const ENDPOINT = `merchant, id, url, kinds, disabled, failing_since AS "failingSince", created`;
const DELIVERY = `merchant, endpoint, number, seq, state, next_at AS next, created`;

/** From now on, sync polls the merchant `$1` more often. */
const POLLED_SOON = `polled AS (
  UPDATE replica_merchant SET next_at = least(next_at, now()) WHERE merchant = $1)`;

/** Endpoints and deliveries in PostgreSQL or PGlite. */
export function createWebhookStore(database: Database) {
  return { ...createEndpoints(database), ...createDeliveries(database), ...createWork(database) };
}

/** The store that {@link createWebhookStore} returns. */
export type WebhookStore = ReturnType<typeof createWebhookStore>;

function createEndpoints(database: Database) {
  return {
    endpoints: (merchant: string) =>
      database.query<Endpoint>(
        `SELECT ${ENDPOINT} FROM webhook_endpoint WHERE merchant = $1 ORDER BY created, id`,
        [merchant],
      ),
    endpoint: async (merchant: string, id: string) => {
      const [found] = await database.query<Endpoint>(
        `SELECT ${ENDPOINT} FROM webhook_endpoint WHERE merchant = $1 AND id = $2`,
        [merchant, id],
      );
      return found;
    },
    /** Adds an endpoint for the events that happen next. Undefined if the merchant has too many. */
    addEndpoint: async (
      { merchant, url, kinds }: Pick<Endpoint, 'merchant' | 'url' | 'kinds'>,
      secret: string,
      max: number,
    ) => {
      const [added] = await database.query<Endpoint>(
        `WITH ${POLLED_SOON}
         INSERT INTO webhook_endpoint (merchant, url, kinds, secrets, seq)
         SELECT $1, $2, $3, ARRAY[$4], coalesce((SELECT seq FROM replica_feed WHERE merchant = $1), 0)
         WHERE (SELECT count(*) FROM webhook_endpoint WHERE merchant = $1) < $5
         RETURNING ${ENDPOINT}`,
        [merchant, url, kinds, secret, max],
      );
      return added;
    },
    /** Changes an endpoint. One that is enabled again gets the events that happen next. */
    changeEndpoint: async (
      { merchant, id }: Pick<Endpoint, 'merchant' | 'id'>,
      {
        url,
        kinds,
        enabled,
      }: { url?: string; kinds?: readonly string[] | null; enabled?: boolean },
    ) => {
      const [changed] = await database.query<Endpoint>(
        `WITH ${POLLED_SOON}
         UPDATE webhook_endpoint SET url = coalesce($3, url), accepted = accepted AND $3 IS NULL,
           kinds = CASE WHEN $4 THEN $5 ELSE kinds END,
           seq = CASE WHEN $6 AND disabled IS NOT NULL
             THEN coalesce((SELECT seq FROM replica_feed WHERE merchant = $1), 0) ELSE seq END,
           failing_since = CASE WHEN $6 THEN NULL ELSE failing_since END,
           disabled = CASE WHEN $6 THEN NULL WHEN NOT $6 THEN 'Disabled by a client.' ELSE disabled END
         WHERE merchant = $1 AND id = $2 RETURNING ${ENDPOINT}`,
        [merchant, id, url ?? null, kinds !== undefined, kinds ?? null, enabled ?? null],
      );
      return changed;
    },
    /** Adds a secret. The one before stays valid for a while. */
    rotateSecret: async (merchant: string, id: string, secret: string, keepSeconds: number) => {
      const [rotated] = await database.query<Endpoint>(
        `UPDATE webhook_endpoint SET secrets = ARRAY[$3] || secrets[1:1],
           old_until = now() + $4 * interval '1 second'
         WHERE merchant = $1 AND id = $2 RETURNING ${ENDPOINT}`,
        [merchant, id, secret, keepSeconds],
      );
      return rotated;
    },
    deleteEndpoint: async (merchant: string, id: string) => {
      const gone = await database.query(
        'DELETE FROM webhook_endpoint WHERE merchant = $1 AND id = $2 RETURNING id',
        [merchant, id],
      );
      return gone.length > 0;
    },
    /** Every endpoint, with what it has not received, for the operator. */
    describeEndpoints: () =>
      database.query<DescribedEndpoint>(
        `SELECT endpoint.merchant, endpoint.id, url, kinds, disabled,
           failing_since AS "failingSince", endpoint.created, count(number) AS pending,
           min(delivery.created) AS oldest
         FROM webhook_endpoint AS endpoint
         LEFT JOIN webhook_delivery AS delivery ON delivery.merchant = endpoint.merchant
           AND delivery.endpoint = endpoint.id AND state = 'PENDING'
         GROUP BY endpoint.merchant, endpoint.id ORDER BY endpoint.merchant, endpoint.created`,
      ),
  };
}

function createDeliveries(database: Database) {
  return {
    /** Deliveries of an endpoint, newest first unless they are read backward. */
    deliveries: ({ merchant, endpoint, states, start, end, backward, limit }: DeliveryQuery) => {
      const [further, nearer, order] = backward ? ['>', '<', 'ASC'] : ['<', '>', 'DESC'];
      return database.query<Delivery>(
        `SELECT ${DELIVERY} FROM webhook_delivery
         WHERE merchant = $1 AND endpoint = $2 AND ($3::text[] IS NULL OR state = ANY($3))
           AND ($4::bigint IS NULL OR number ${further} $4)
           AND ($5::bigint IS NULL OR number ${nearer} $5)
         ORDER BY number ${order} LIMIT $6`,
        [merchant, endpoint, states, start ?? null, end ?? null, limit],
      );
    },
    delivery: async ({ merchant, endpoint, number }: DeliveryKey) => {
      const [found] = await database.query<Delivery>(
        `SELECT ${DELIVERY} FROM webhook_delivery
         WHERE merchant = $1 AND endpoint = $2 AND number = $3`,
        [merchant, endpoint, number],
      );
      return found;
    },
    /** The attempts of a delivery, oldest first. */
    attempts: ({ merchant, endpoint, number }: DeliveryKey) =>
      database.query<Attempt>(
        `SELECT number, at, status, error, duration_ms AS "durationMs" FROM webhook_attempt
         WHERE merchant = $1 AND endpoint = $2 AND number = $3 ORDER BY at`,
        [merchant, endpoint, number],
      ),
    /** Adds a test for an endpoint. Undefined if it does not exist, or many tests were not sent yet. */
    addTest: async (merchant: string, endpoint: string) => {
      const [added] = await database.query<Delivery>(
        `WITH counted AS (
           UPDATE webhook_endpoint SET deliveries = deliveries + 1
           WHERE merchant = $1 AND id = $2 AND (
             SELECT count(*) FROM webhook_delivery
             WHERE merchant = $1 AND endpoint = $2 AND next_at IS NOT NULL AND seq IS NULL
           ) < ${MAX_TESTS} RETURNING merchant, id, deliveries)
         INSERT INTO webhook_delivery (merchant, endpoint, number) SELECT * FROM counted
         RETURNING ${DELIVERY}`,
        [merchant, endpoint],
      );
      return added;
    },
    /** Attempts a delivery again at once, whatever came of it. */
    sendAgain: async ({ merchant, endpoint, number }: DeliveryKey) => {
      const [again] = await database.query<Delivery>(
        `UPDATE webhook_delivery SET state = 'PENDING', next_at = now(), attempts = 0
         WHERE merchant = $1 AND endpoint = $2 AND number = $3 RETURNING ${DELIVERY}`,
        [merchant, endpoint, number],
      );
      return again;
    },
  };
}

function createWork(database: Database) {
  return {
    /** Makes deliveries of what has happened. Returns whether there may be more. */
    spread: async () => {
      const spread = await database.query(
        `WITH behind AS (
           SELECT endpoint.merchant, endpoint.id, endpoint.seq, endpoint.kinds, deliveries,
             least(feed.seq, endpoint.seq + 1000) AS upto
           FROM webhook_endpoint AS endpoint JOIN replica_feed AS feed USING (merchant)
           WHERE endpoint.seq < feed.seq AND disabled IS NULL
           LIMIT 100 FOR UPDATE OF endpoint SKIP LOCKED
         ), made AS (
           INSERT INTO webhook_delivery (merchant, endpoint, number, seq)
           SELECT behind.merchant, behind.id, deliveries
             + row_number() OVER (PARTITION BY behind.merchant, behind.id ORDER BY event.seq),
             event.seq
           FROM behind
           JOIN replica_event AS event ON event.merchant = behind.merchant
             AND event.seq > behind.seq AND event.seq <= behind.upto
             AND (behind.kinds IS NULL OR event.kind = ANY(behind.kinds))
           RETURNING merchant, endpoint)
         UPDATE webhook_endpoint AS endpoint SET seq = upto,
           deliveries = endpoint.deliveries + (SELECT count(*) FROM made
             WHERE made.merchant = endpoint.merchant AND made.endpoint = endpoint.id)
         FROM behind
         WHERE endpoint.merchant = behind.merchant AND endpoint.id = behind.id
         RETURNING endpoint.id`,
      );
      return spread.length > 0;
    },
    /**
     * Takes deliveries whose turn it is, first of the merchants with the fewest attempts.
     *
     * @param areProven those to endpoints that work, or those to all others
     */
    claimDeliveries: (limit: number, areProven: boolean) =>
      database.query<Due>(
        `WITH busy AS (
           SELECT merchant, endpoint, count(*) AS count FROM webhook_delivery
           WHERE leased_until > '-infinity' AND leased_until > now() GROUP BY merchant, endpoint
         ), due AS (
           SELECT turn.merchant, turn.endpoint, turn.number, endpoint.url,
             CASE WHEN old_until > now() THEN secrets ELSE secrets[1:1] END AS secrets,
             row_number() OVER (PARTITION BY turn.merchant ORDER BY turn.next_at)
               + (SELECT coalesce(sum(count), 0) FROM busy WHERE busy.merchant = turn.merchant) AS place
           FROM webhook_endpoint AS endpoint CROSS JOIN LATERAL (
             SELECT merchant, endpoint, number, next_at FROM webhook_delivery AS delivery
             WHERE delivery.merchant = endpoint.merchant AND delivery.endpoint = endpoint.id
               AND next_at <= now() AND leased_until <= now()
             ORDER BY next_at LIMIT greatest(0, $3 - coalesce((
               SELECT count FROM busy
               WHERE busy.merchant = endpoint.merchant AND busy.endpoint = endpoint.id), 0))
             FOR UPDATE SKIP LOCKED) AS turn
           WHERE disabled IS NULL AND (accepted AND failing_since IS NULL) = $2
         )
         UPDATE webhook_delivery AS delivery SET leased_until = now() + ${LEASE}
         FROM (SELECT * FROM due WHERE place <= ${PER_MERCHANT} ORDER BY place LIMIT $1) AS due
         WHERE delivery.merchant = due.merchant AND delivery.endpoint = due.endpoint
           AND delivery.number = due.number
         RETURNING delivery.merchant, delivery.endpoint, delivery.number, seq, attempts, url, secrets`,
        [limit, areProven, areProven ? PER_ENDPOINT : PER_UNPROVEN_ENDPOINT],
      ),
    /** Lets another process attempt a delivery. */
    giveBack: ({ merchant, endpoint, number }: Due) =>
      database.query(
        `UPDATE webhook_delivery SET leased_until = '-infinity'
         WHERE merchant = $1 AND endpoint = $2 AND number = $3`,
        [merchant, endpoint, number],
      ),
    /**
     * Notes how an attempt ended.
     *
     * @param nextMs after which it is attempted again; undefined if it is not
     */
    noteAttempt: (due: Due, attempted: Attempted, nextMs: number | undefined) =>
      database.transaction(async (tx) => {
        const { merchant, endpoint, number } = due;
        const { status, error, durationMs } = attempted;
        // First, because whoever deletes an endpoint also locks it before its deliveries.
        const disabled = await noteHealth(tx, merchant, endpoint, attempted);
        await tx.query(
          `INSERT INTO webhook_attempt (merchant, endpoint, number, status, error, duration_ms)
           SELECT merchant, endpoint, number, $4, $5, $6 FROM webhook_delivery
           WHERE merchant = $1 AND endpoint = $2 AND number = $3`,
          [merchant, endpoint, number, status, error, durationMs],
        );
        const pause = error === null ? undefined : nextMs;
        await tx.query(
          `UPDATE webhook_delivery SET attempts = attempts + 1, leased_until = '-infinity',
             state = CASE WHEN $4 THEN 'SUCCEEDED' WHEN $5::float8 IS NULL THEN 'FAILED' ELSE 'PENDING' END,
             next_at = now() + $5::float8 * interval '1 millisecond'
           WHERE merchant = $1 AND endpoint = $2 AND number = $3`,
          [merchant, endpoint, number, error === null, pause ?? null],
        );
        return disabled;
      }),
    /** Deletes deliveries that are this old, and what was attempted of them. */
    trimDeliveries: (days: number) =>
      database.query(`DELETE FROM webhook_delivery WHERE created < now() - $1 * interval '1 day'`, [
        days,
      ]),
  };
}

/** Notes since when an endpoint fails. Returns why it is disabled now; undefined if it is not. */
async function noteHealth(
  tx: Queryable,
  merchant: string,
  endpoint: string,
  { status, error }: Attempted,
): Promise<string | undefined> {
  const [row] = await tx.query<{ disabled: string | null }>(
    `UPDATE webhook_endpoint SET accepted = accepted OR $3,
       failing_since = CASE WHEN NOT $3 THEN coalesce(failing_since, now()) END,
       disabled = CASE WHEN $4 THEN 'The receiver responded with 410 (Gone).'
         WHEN NOT $3 AND failing_since < now() - ${GIVE_UP}
           THEN 'Every attempt has failed for five days.' ELSE disabled END
     WHERE merchant = $1 AND id = $2 AND disabled IS NULL RETURNING disabled`,
    [merchant, endpoint, error === null, status === 410],
  );
  return row?.disabled ?? undefined;
}
