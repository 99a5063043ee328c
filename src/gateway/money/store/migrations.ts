/**
 * Money operations, their events, and the store's clock. The partial unique indexes are the
 * locks: one open operation per lock key across all processes, and at most one operation per
 * trail entry. Events are only added.
 */
export const operations: readonly string[] = [
  `CREATE TABLE money_operation (
    id uuid PRIMARY KEY,
    merchant_id text NOT NULL,
    key text NOT NULL CHECK (length(key) BETWEEN 1 AND 255),
    kind text NOT NULL CHECK (kind IN ('CAPTURE', 'REFUND', 'VOID', 'CREATE')),
    lock_key text,
    transaction_id text,
    amount bigint NOT NULL CHECK (amount BETWEEN 1 AND 9007199254740991),
    currency text NOT NULL,
    fingerprint_version smallint NOT NULL,
    fingerprint bytea NOT NULL,
    state text NOT NULL CHECK (state IN
      ('PREPARED', 'SENDING', 'UNKNOWN', 'RELEASED', 'SUCCEEDED', 'REJECTED', 'NOT_APPLIED')),
    posts smallint NOT NULL DEFAULT 0 CHECK (posts BETWEEN 0 AND 2),
    epoch integer NOT NULL DEFAULT 0,
    needs_operator boolean NOT NULL DEFAULT false,
    snapshot jsonb,
    response jsonb,
    search_place jsonb,
    rejection jsonb,
    entry_line text,
    entry_properties text,
    seen jsonb,
    waived boolean NOT NULL DEFAULT false,
    returned boolean NOT NULL DEFAULT false,
    evidence text CHECK
      (evidence IN ('ANSWERED', 'READ_BACK', 'PROVEN', 'PRESUMED', 'OPERATOR')),
    created_at timestamptz NOT NULL DEFAULT now(),
    sending_at timestamptz,
    sending_elapsed bigint,
    responded_elapsed bigint,
    lease_until timestamptz,
    resolved_at timestamptz,
    ended_elapsed bigint,
    UNIQUE (merchant_id, key),
    CHECK ((kind = 'CREATE') = (lock_key IS NULL)),
    CHECK (kind = 'CREATE' OR transaction_id IS NOT NULL),
    CHECK (kind <> 'CREATE' OR posts <= 1),
    CHECK ((state = 'PREPARED') = (snapshot IS NULL)),
    CHECK ((state = 'PREPARED') = (posts = 0)),
    CHECK ((state = 'PREPARED') = (sending_at IS NULL)),
    CHECK (response IS NOT NULL OR responded_elapsed IS NULL),
    CHECK (state <> 'RELEASED' OR response ->> 'kind' = 'RELEASED'),
    CHECK ((state = 'REJECTED') = (rejection IS NOT NULL)),
    CHECK ((entry_line IS NULL AND entry_properties IS NULL AND seen IS NULL)
      OR state = 'SUCCEEDED'),
    CHECK ((resolved_at IS NULL) = (evidence IS NULL)),
    CHECK ((state IN ('SUCCEEDED', 'REJECTED', 'NOT_APPLIED')) = (resolved_at IS NOT NULL)))`,
  `CREATE UNIQUE INDEX money_one_open_per_lock_key ON money_operation (lock_key)
    WHERE state IN ('PREPARED', 'SENDING', 'UNKNOWN')`,
  `CREATE UNIQUE INDEX money_one_operation_per_line ON money_operation (entry_line)
    WHERE entry_line IS NOT NULL`,
  `CREATE UNIQUE INDEX money_one_operation_per_entry ON money_operation (entry_properties)
    WHERE entry_properties IS NOT NULL`,
  `CREATE INDEX money_transaction ON money_operation (transaction_id)
    WHERE transaction_id IS NOT NULL`,
  `CREATE INDEX money_leased ON money_operation (lease_until)
    WHERE state IN ('PREPARED', 'SENDING')`,
  `CREATE INDEX money_unknown ON money_operation (id)
    WHERE state = 'UNKNOWN' AND NOT needs_operator`,
  `CREATE INDEX money_sent_unstamped ON money_operation (id)
    WHERE state IN ('SENDING', 'UNKNOWN') AND sending_elapsed IS NULL`,
  `CREATE INDEX money_responded_unstamped ON money_operation (id)
    WHERE state = 'UNKNOWN' AND response IS NOT NULL AND responded_elapsed IS NULL`,
  `CREATE INDEX money_ended_unstamped ON money_operation (id)
    WHERE state IN ('RELEASED', 'SUCCEEDED', 'REJECTED', 'NOT_APPLIED') AND ended_elapsed IS NULL`,
  `CREATE INDEX money_ended ON money_operation (ended_elapsed) WHERE ended_elapsed IS NOT NULL`,
  `CREATE TABLE money_operation_event (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    operation uuid NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    from_state text,
    to_state text,
    epoch integer NOT NULL,
    detail jsonb NOT NULL,
    elapsed bigint NOT NULL)`,
  `CREATE INDEX money_event_operation ON money_operation_event (operation)`,
  `CREATE INDEX money_event_elapsed ON money_operation_event (elapsed)`,
  // Milliseconds that have certainly passed since the store was created. Setting a wall clock
  // forward or back does not change how fast this clock advances.
  `CREATE TABLE store_clock (
    id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
    elapsed bigint NOT NULL DEFAULT 0,
    swept_at timestamptz NOT NULL DEFAULT now())`,
  `INSERT INTO store_clock DEFAULT VALUES`,
];

/**
 * Indexes for the operations of a merchant, newest first. Almost all operations succeed, so
 * those of any other state have an index of their own.
 */
export const operationLists = [
  `CREATE INDEX money_merchant ON money_operation (merchant_id, created_at, id)`,
  `CREATE INDEX money_merchant_without_success ON money_operation (merchant_id, created_at, id)
    WHERE state <> 'SUCCEEDED'`,
];

/**
 * What each caller may still use, for all gateways on this database. The accounts are lost when
 * the database crashes, which costs nobody anything.
 */
export const rateLimit = [
  `CREATE UNLOGGED TABLE rate_account (
    owner text PRIMARY KEY,
    points double precision NOT NULL,
    taken double precision NOT NULL,
    at timestamptz NOT NULL)`,
  // With the same salt, all gateways compute the same digest for a caller.
  `CREATE TABLE caller_salt (
    id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
    salt bytea NOT NULL)`,
];

/**
 * Whether the replica shows the effect of an operation that succeeded. For operations that were
 * recorded before, nothing is known and nothing is waited for.
 */
export const shownOperations = [
  `ALTER TABLE money_operation ADD COLUMN shown boolean NOT NULL DEFAULT true`,
  `ALTER TABLE money_operation ALTER shown SET DEFAULT false`,
  `CREATE INDEX money_not_shown ON money_operation (merchant_id)
    WHERE state = 'SUCCEEDED' AND NOT shown AND transaction_id IS NOT NULL`,
];

/**
 * What each caller has used in its minute, for all gateways on this database, as
 * `rate-limiter-flexible` counts it. It replaces `rate_account`, which earlier versions use. The
 * counts are lost when the database crashes, which costs nobody anything.
 */
export const rateCount = [
  `CREATE UNLOGGED TABLE rate_count (
    key text PRIMARY KEY,
    points bigint NOT NULL,
    expire bigint)`,
];

/**
 * Operations whose outcome did not come with the response to their only POST. Events tell of them
 * when it becomes known.
 */
export const lateOutcomes = [
  `CREATE INDEX money_late ON money_operation (merchant_id, resolved_at)
    WHERE resolved_at IS NOT NULL AND (evidence <> 'ANSWERED' OR posts > 1)`,
];
