/**
 * The merchants whose lists are copied, how far each list was walked, the records, and what all
 * gateways on a database share of their calls. Every table but the last begins with the merchant.
 */
export const replica: readonly string[] = [
  `CREATE TABLE replica_merchant (
    merchant text PRIMARY KEY,
    state text NOT NULL DEFAULT 'COPYING' CHECK (state IN ('COPYING', 'READY', 'STOPPED')),
    reason text,
    -- Everything that lines and new transactions showed before is stored.
    as_of timestamptz,
    next_at timestamptz NOT NULL DEFAULT now(),
    leased_until timestamptz NOT NULL DEFAULT '-infinity',
    epoch bigint NOT NULL DEFAULT 0,
    polls bigint NOT NULL DEFAULT 0,
    failures integer NOT NULL DEFAULT 0,
    wanted_at timestamptz NOT NULL DEFAULT '-infinity',
    changed_at timestamptz NOT NULL DEFAULT now(),
    compared_at timestamptz NOT NULL DEFAULT now(),
    repaired bigint NOT NULL DEFAULT 0,
    left_at timestamptz)`,
  // Unique over all merchants: one that is copied anew must not get an epoch it had before.
  `CREATE SEQUENCE replica_epoch`,
  `CREATE INDEX replica_next ON replica_merchant (next_at)`,
  `CREATE TABLE replica_list (
    merchant text NOT NULL REFERENCES replica_merchant ON DELETE CASCADE,
    kind text NOT NULL,
    -- The oldest item that was walked to; null before the first page.
    place text,
    is_walked boolean NOT NULL DEFAULT false,
    PRIMARY KEY (merchant, kind))`,
  `CREATE TABLE replica_record (
    merchant text NOT NULL REFERENCES replica_merchant ON DELETE CASCADE,
    kind text NOT NULL,
    id text NOT NULL,
    position double precision NOT NULL,
    -- JSON, as text: jsonb does not store the character 0, which a client can put in a record.
    record text NOT NULL,
    version integer NOT NULL,
    read_at timestamptz NOT NULL,
    -- Null if the columns cannot be read.
    created timestamptz,
    amount bigint,
    labels text[] NOT NULL,
    words text NOT NULL,
    -- When it is read again; -infinity if a line says that it has changed.
    due_at timestamptz,
    deleted boolean NOT NULL DEFAULT false,
    PRIMARY KEY (merchant, kind, id)) WITH (toast_tuple_target = 256)`,
  `ALTER TABLE replica_record ALTER record SET STORAGE EXTERNAL`,
  // So that the planner knows that most labels, such as the digits of a card, are rare.
  `ALTER TABLE replica_record ALTER labels SET STATISTICS 1000`,
  `CREATE UNIQUE INDEX replica_position ON replica_record (merchant, kind, position)`,
  `CREATE INDEX replica_created ON replica_record (merchant, kind, created)`,
  `CREATE INDEX replica_labels ON replica_record USING gin (labels)`,
  `CREATE INDEX replica_due ON replica_record (merchant, kind, due_at) WHERE due_at IS NOT NULL`,
  `CREATE TABLE replica_calls (
    id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
    -- When the next call may be made.
    next_at timestamptz NOT NULL DEFAULT now(),
    -- When the merchants of the app are listed again.
    merchants_at timestamptz NOT NULL DEFAULT now())`,
  `INSERT INTO replica_calls DEFAULT VALUES`,
];

/** What totals add up, orders, and the number of calls. Everything is copied again. */
export const ordered: readonly string[] = [
  `DELETE FROM replica_merchant`,
  `UPDATE replica_calls SET merchants_at = now()`,
  // What totals group by, and what they add up.
  `ALTER TABLE replica_record ADD COLUMN groups text[] NOT NULL, ADD COLUMN sums bigint[] NOT NULL`,
  `DROP INDEX replica_created`,
  `CREATE INDEX replica_created ON replica_record (merchant, kind, created, position)`,
  `CREATE INDEX replica_amount ON replica_record (merchant, kind, amount, position)`,
  // The lines and disputes that name a transaction, and that no read of it has shown yet.
  `ALTER TABLE replica_record ADD COLUMN expected text[] NOT NULL DEFAULT '{}',
    ADD COLUMN reads_left smallint NOT NULL DEFAULT 0`,
  `ALTER TABLE replica_calls ADD COLUMN calls bigint NOT NULL DEFAULT 0`,
];

/**
 * What happened at merchants, numbered without gaps. It outlives their copies, so that nothing is
 * told twice or lost when one is made again.
 */
export const told: readonly string[] = [
  `CREATE TABLE replica_feed (
    merchant text PRIMARY KEY,
    -- The number of the newest event.
    seq bigint NOT NULL DEFAULT 0,
    -- What happened before is told, or is older than the feed.
    as_of timestamptz NOT NULL,
    -- The number of the newest event that was deleted, and when those were seen that are kept.
    trimmed bigint NOT NULL DEFAULT 0,
    trimmed_to timestamptz)`,
  `CREATE TABLE replica_event (
    merchant text NOT NULL REFERENCES replica_feed ON DELETE CASCADE,
    seq bigint NOT NULL,
    kind text NOT NULL,
    -- With the kind, tells one from another, whichever record shows it.
    subject text NOT NULL,
    happened timestamptz,
    seen timestamptz NOT NULL DEFAULT clock_timestamp(),
    transaction text,
    -- The line, dispute or fraud alert.
    item_kind text,
    item text,
    entry text,
    PRIMARY KEY (merchant, seq))`,
  `CREATE UNIQUE INDEX replica_event_subject ON replica_event (merchant, kind, subject)`,
  `CREATE INDEX replica_event_seen ON replica_event (seen)`,
  // The events of merchants that are copied already begin now.
  `INSERT INTO replica_feed (merchant, as_of)
   SELECT merchant, as_of FROM replica_merchant WHERE as_of IS NOT NULL`,
];

/** Where merchants' events are sent, and what came of it. */
export const webhooks: readonly string[] = [
  `CREATE TABLE webhook_endpoint (
    merchant text NOT NULL,
    id text NOT NULL DEFAULT replace(gen_random_uuid()::text, '-', ''),
    url text NOT NULL,
    -- Null for all.
    kinds text[],
    -- The newest first. The second one is valid until old_until.
    secrets text[] NOT NULL,
    old_until timestamptz,
    -- The last event that deliveries were made of, and their number.
    seq bigint NOT NULL,
    deliveries bigint NOT NULL DEFAULT 0,
    -- Why nothing is sent.
    disabled text,
    failing_since timestamptz,
    created timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (merchant, id))`,
  `CREATE TABLE webhook_delivery (
    merchant text NOT NULL,
    endpoint text NOT NULL,
    number bigint NOT NULL,
    -- The event; null for a test.
    seq bigint,
    state text NOT NULL DEFAULT 'PENDING' CHECK (state IN ('PENDING', 'SUCCEEDED', 'FAILED')),
    attempts integer NOT NULL DEFAULT 0,
    -- When it is attempted; null if it is not.
    next_at timestamptz DEFAULT now(),
    leased_until timestamptz NOT NULL DEFAULT '-infinity',
    created timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (merchant, endpoint, number),
    FOREIGN KEY (merchant, endpoint) REFERENCES webhook_endpoint ON DELETE CASCADE)`,
  `CREATE INDEX webhook_next ON webhook_delivery (merchant, endpoint, next_at)
   WHERE next_at IS NOT NULL`,
  `CREATE INDEX webhook_created ON webhook_delivery (created)`,
  `CREATE TABLE webhook_attempt (
    merchant text NOT NULL,
    endpoint text NOT NULL,
    number bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Null without a response.
    status integer,
    error text,
    duration_ms integer NOT NULL,
    PRIMARY KEY (merchant, endpoint, number, at),
    FOREIGN KEY (merchant, endpoint, number) REFERENCES webhook_delivery ON DELETE CASCADE)`,
];

/**
 * Which endpoints have accepted a message since they were made, and which deliveries are attempted
 * now: endpoints that do not work share what they use.
 */
export const webhookShares: readonly string[] = [
  `ALTER TABLE webhook_endpoint ADD COLUMN accepted boolean NOT NULL DEFAULT false`,
  `CREATE INDEX webhook_leased ON webhook_delivery (leased_until)
   WHERE leased_until > '-infinity'`,
];

/** Tells a feed from one that was deleted, for those who watch it meanwhile. */
export const feedMade: readonly string[] = [
  `ALTER TABLE replica_feed ADD COLUMN made timestamptz NOT NULL DEFAULT clock_timestamp()`,
];
