/**
 * The records of both services. Ids are compared byte by byte (`COLLATE "C"`), which is the order
 * in which they were created. Amounts are minor units: `amount` and the counters in the currency
 * of the transaction; `balance`, `gross` and fees in the funding currency of the merchant.
 */
export const records: readonly string[] = [
  `CREATE TABLE user_record (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    name text NOT NULL,
    email text NOT NULL,
    address text NOT NULL)`,

  `CREATE TABLE app (
    id text COLLATE "C" PRIMARY KEY,
    name text,
    key text NOT NULL,
    key_digest text NOT NULL UNIQUE,
    created timestamptz NOT NULL)`,

  // One row: the app whose key the startup output shows.
  'CREATE TABLE demo_app (app_id text COLLATE "C" PRIMARY KEY REFERENCES app)',

  `CREATE TABLE merchant (
    id text COLLATE "C" PRIMARY KEY,
    key text NOT NULL UNIQUE,
    name text,
    currency text NOT NULL,
    test boolean NOT NULL,
    email text NOT NULL,
    website text NOT NULL,
    descriptor text NOT NULL,
    country text NOT NULL,
    company_number text,
    iban text,
    created timestamptz NOT NULL,
    balance bigint NOT NULL DEFAULT 0)`,

  `CREATE TABLE merchant_app (
    app_id text COLLATE "C" NOT NULL REFERENCES app,
    merchant_id text COLLATE "C" NOT NULL REFERENCES merchant,
    PRIMARY KEY (app_id, merchant_id))`,
  'CREATE INDEX ON merchant_app (merchant_id, app_id)',

  `CREATE TABLE person (
    id text COLLATE "C" PRIMARY KEY,
    email text NOT NULL,
    created timestamptz NOT NULL)`,
  'CREATE UNIQUE INDEX person_email ON person (lower(email))',

  `CREATE TABLE member (
    merchant_id text COLLATE "C" NOT NULL REFERENCES merchant,
    person_id text COLLATE "C" NOT NULL REFERENCES person,
    PRIMARY KEY (merchant_id, person_id))`,

  `CREATE TABLE transaction (
    id text COLLATE "C" PRIMARY KEY,
    merchant_id text COLLATE "C" NOT NULL REFERENCES merchant,
    test boolean NOT NULL,
    created timestamptz NOT NULL,
    currency text NOT NULL,
    amount bigint NOT NULL CHECK (amount > 0),
    captured bigint NOT NULL DEFAULT 0 CHECK (captured >= 0),
    refunded bigint NOT NULL DEFAULT 0 CHECK (refunded BETWEEN 0 AND captured),
    voided bigint NOT NULL DEFAULT 0 CHECK (voided >= 0),
    disputed bigint NOT NULL DEFAULT 0 CHECK (disputed >= 0),
    descriptor text NOT NULL,
    card_bin text NOT NULL,
    card_last4 text NOT NULL,
    card_expiry timestamptz NOT NULL,
    card_scheme text NOT NULL,
    card_behaviour text NOT NULL,
    code_present boolean NOT NULL,
    tds text NOT NULL,
    custom json,
    recurring boolean NOT NULL,
    error_code integer,
    CHECK (captured + voided <= amount),
    CHECK (error_code IS NULL OR captured + voided = 0))`,
  'CREATE INDEX transaction_of_merchant ON transaction (merchant_id, id)',
  'CREATE INDEX transaction_successful ON transaction (merchant_id, id) WHERE error_code IS NULL',
  'CREATE INDEX transaction_failed ON transaction (merchant_id, id) WHERE error_code IS NOT NULL',

  `CREATE TABLE line (
    id text COLLATE "C" PRIMARY KEY,
    merchant_id text COLLATE "C" NOT NULL REFERENCES merchant,
    test boolean NOT NULL,
    created timestamptz NOT NULL,
    balance bigint NOT NULL,
    fee bigint NOT NULL,
    transaction_id text COLLATE "C" NOT NULL REFERENCES transaction,
    currency text NOT NULL,
    amount bigint NOT NULL,
    kind text NOT NULL CHECK (kind IN ('capture', 'refund', 'dispute')),
    dispute_id text COLLATE "C",
    outcome text CHECK (outcome IN ('won', 'lost')),
    description text NOT NULL)`,
  'CREATE INDEX line_of_merchant ON line (merchant_id, id)',

  `CREATE TABLE dispute (
    id text COLLATE "C" PRIMARY KEY,
    merchant_id text COLLATE "C" NOT NULL REFERENCES merchant,
    transaction_id text COLLATE "C" NOT NULL REFERENCES transaction,
    created timestamptz NOT NULL,
    amount bigint NOT NULL CHECK (amount > 0),
    gross bigint NOT NULL,
    verdict text CHECK (verdict IN ('won', 'lost')),
    verdict_due timestamptz,
    settled boolean NOT NULL DEFAULT false)`,
  'CREATE INDEX dispute_of_merchant ON dispute (merchant_id, id)',
  'CREATE INDEX dispute_of_transaction ON dispute (transaction_id, id)',
  'CREATE INDEX dispute_unsettled ON dispute (verdict_due) WHERE NOT settled AND verdict IS NOT NULL',

  `CREATE TABLE fraud_alert (
    id text COLLATE "C" PRIMARY KEY,
    merchant_id text COLLATE "C" NOT NULL REFERENCES merchant,
    transaction_id text COLLATE "C" NOT NULL UNIQUE REFERENCES transaction,
    created timestamptz NOT NULL,
    reason integer NOT NULL)`,
  'CREATE INDEX fraud_alert_of_merchant ON fraud_alert (merchant_id, id)',

  `CREATE TABLE trail_entry (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    transaction_id text COLLATE "C" NOT NULL REFERENCES transaction,
    kind text NOT NULL CHECK (kind IN ('capture', 'refund', 'void', 'dispute')),
    created timestamptz NOT NULL,
    amount bigint NOT NULL CHECK (amount > 0),
    gross bigint NOT NULL,
    fee_flat bigint NOT NULL,
    fee_rate bigint NOT NULL,
    balance bigint NOT NULL,
    descriptor text,
    line_id text COLLATE "C" UNIQUE REFERENCES line,
    dispute_id text COLLATE "C" REFERENCES dispute,
    outcome text CHECK (outcome IN ('won', 'lost')),
    CHECK ((kind = 'void') = (line_id IS NULL)),
    CHECK ((kind = 'dispute') = (dispute_id IS NOT NULL)))`,
  'CREATE INDEX trail_of_transaction ON trail_entry (transaction_id, seq)',

  // The last id: seconds in the high bits, 31 random or counted bits below.
  'CREATE SEQUENCE record_id AS bigint MINVALUE 0 START 0',
  `CREATE FUNCTION next_record_id(seconds bigint, rest bigint) RETURNS text LANGUAGE plpgsql AS $$
  DECLARE
    wanted bigint := (seconds << 31) | rest;
    latest bigint;
  BEGIN
    PERFORM pg_advisory_lock(7112002);
    SELECT last_value INTO latest FROM record_id;
    IF wanted <= latest THEN wanted := latest + 1; END IF;
    PERFORM setval('record_id', wanted);
    PERFORM pg_advisory_unlock(7112002);
    RETURN lpad(to_hex(wanted >> 31), 8, '0') || '7469' || lpad(to_hex(wanted & 2147483647), 12, '0');
  END $$`,
];

/** Saved cards, and the invitations that were not sent by mail. */
export const cardsAndOutbox: readonly string[] = [
  `CREATE TABLE saved_card (
    id text COLLATE "C" PRIMARY KEY,
    merchant_id text COLLATE "C" NOT NULL REFERENCES merchant,
    created timestamptz NOT NULL,
    card_bin text NOT NULL,
    card_last4 text NOT NULL,
    card_expiry timestamptz NOT NULL,
    card_scheme text NOT NULL,
    card_behaviour text NOT NULL,
    notes text)`,

  `CREATE TABLE outbox (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    created timestamptz NOT NULL,
    recipient text NOT NULL,
    subject text NOT NULL,
    body text NOT NULL)`,
];
