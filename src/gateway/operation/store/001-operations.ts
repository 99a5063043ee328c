/**
 * Money operations and their events. The partial unique indexes are the locks: one open
 * operation per lock key across all processes, and at most one operation per trail entry.
 * Events are only added.
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
    state text NOT NULL CHECK
      (state IN ('PREPARED', 'SENDING', 'UNKNOWN', 'SUCCEEDED', 'REJECTED', 'NOT_APPLIED')),
    posts smallint NOT NULL DEFAULT 0 CHECK (posts BETWEEN 0 AND 2),
    epoch integer NOT NULL DEFAULT 0,
    needs_operator boolean NOT NULL DEFAULT false,
    snapshot jsonb,
    rejection jsonb,
    entry_ref text,
    evidence text CHECK (evidence IN ('ANSWERED', 'READ_BACK', 'PRESUMED', 'OPERATOR')),
    created_at timestamptz NOT NULL DEFAULT now(),
    sending_at timestamptz,
    lease_until timestamptz,
    resolved_at timestamptz,
    UNIQUE (merchant_id, key),
    CHECK ((kind = 'CREATE') = (lock_key IS NULL)),
    CHECK (kind = 'CREATE' OR transaction_id IS NOT NULL),
    CHECK (kind <> 'CREATE' OR posts <= 1),
    CHECK ((state = 'PREPARED') = (snapshot IS NULL)),
    CHECK ((state = 'PREPARED') = (posts = 0)),
    CHECK ((state = 'PREPARED') = (sending_at IS NULL)),
    CHECK ((state = 'REJECTED') = (rejection IS NOT NULL)),
    CHECK ((resolved_at IS NULL) = (evidence IS NULL)),
    CHECK ((state IN ('SUCCEEDED', 'REJECTED', 'NOT_APPLIED')) = (resolved_at IS NOT NULL)))`,
  `CREATE UNIQUE INDEX money_one_open_per_lock_key ON money_operation (lock_key)
    WHERE state IN ('PREPARED', 'SENDING', 'UNKNOWN')`,
  `CREATE UNIQUE INDEX money_one_operation_per_entry ON money_operation (entry_ref)
    WHERE entry_ref IS NOT NULL`,
  `CREATE INDEX money_transaction ON money_operation (transaction_id)
    WHERE transaction_id IS NOT NULL`,
  `CREATE INDEX money_leased ON money_operation (lease_until)
    WHERE state IN ('PREPARED', 'SENDING')`,
  `CREATE INDEX money_unknown ON money_operation (id)
    WHERE state = 'UNKNOWN' AND NOT needs_operator`,
  `CREATE INDEX money_ended ON money_operation (resolved_at) WHERE resolved_at IS NOT NULL`,
  `CREATE TABLE money_operation_event (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    operation uuid NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    from_state text,
    to_state text,
    epoch integer NOT NULL,
    detail jsonb NOT NULL)`,
  `CREATE INDEX money_event_operation ON money_operation_event (operation)`,
  `CREATE INDEX money_event_at ON money_operation_event (at)`,
];
