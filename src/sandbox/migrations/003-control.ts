/**
 * What the control interface changes: fields of disputes and fraud alerts that may be absent,
 * payouts, hidden keys, the clock, snapshots, and the changes of the last minute.
 */
export const control: readonly string[] = [
  `ALTER TABLE dispute
    ADD COLUMN reason_code integer,
    ADD COLUMN reason_title text,
    ADD COLUMN due timestamptz,
    ADD CHECK ((reason_code IS NULL) = (reason_title IS NULL))`,
  `UPDATE dispute SET reason_code = 30,
    reason_title = 'Services not provided or merchandise not received',
    due = created + interval '14 days'`,

  'ALTER TABLE fraud_alert ADD COLUMN reported timestamptz, ALTER COLUMN reason DROP NOT NULL',
  'UPDATE fraud_alert SET reported = created',

  `ALTER TABLE line
    ALTER COLUMN transaction_id DROP NOT NULL,
    ALTER COLUMN currency DROP NOT NULL,
    ALTER COLUMN amount DROP NOT NULL,
    ADD COLUMN iban text,
    DROP CONSTRAINT line_kind_check,
    ADD CHECK (kind IN ('capture', 'refund', 'dispute', 'payout')),
    ADD CHECK ((kind = 'payout') = (transaction_id IS NULL)),
    ADD CHECK ((kind = 'payout') = (currency IS NULL)),
    ADD CHECK ((kind = 'payout') = (amount IS NULL))`,

  // The key of an app for third parties can be hidden on request.
  'ALTER TABLE app ADD COLUMN key_hidden boolean NOT NULL DEFAULT false',

  // True for a mail that a mail server accepted.
  'ALTER TABLE outbox ADD COLUMN sent boolean NOT NULL DEFAULT false',

  // One row. The clock reads the time of the machine plus `ahead_ms`, or `frozen`.
  `CREATE TABLE control_state (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    ahead_ms bigint NOT NULL DEFAULT 0,
    frozen timestamptz,
    payout_every_ms bigint CHECK (payout_every_ms > 0),
    next_payout timestamptz,
    keeps_changes boolean NOT NULL DEFAULT false)`,
  'INSERT INTO control_state DEFAULT VALUES',

  // Makes the next id larger than this one, and never smaller than it would have been.
  `CREATE FUNCTION raise_record_id(id text) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    given bigint := (('x' || left(id, 8))::bit(32)::bigint << 31) | ('x' || right(id, 8))::bit(32)::bigint;
  BEGIN
    PERFORM pg_advisory_lock(7112002);
    PERFORM setval('record_id', greatest(given, (SELECT last_value FROM record_id)));
    PERFORM pg_advisory_unlock(7112002);
  END $$`,

  `CREATE TABLE snapshot (
    name text PRIMARY KEY,
    taken timestamptz NOT NULL,
    version integer NOT NULL,
    ahead_ms bigint NOT NULL,
    frozen timestamptz,
    contents json NOT NULL)`,

  // The rows as they were before, and as they became; deleted after a minute.
  `CREATE TABLE change (
    seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    in_table text NOT NULL,
    old_row json,
    new_row json)`,
  'CREATE INDEX change_at ON change (at)',
  `CREATE FUNCTION keep_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF (SELECT keeps_changes FROM control_state) THEN
      INSERT INTO change (in_table, old_row, new_row) VALUES (
        TG_TABLE_NAME,
        CASE WHEN TG_OP <> 'INSERT' THEN to_json(OLD) END,
        CASE WHEN TG_OP <> 'DELETE' THEN to_json(NEW) END);
    END IF;
    RETURN NULL;
  END $$`,
  ...[
    ...['user_record', 'app', 'merchant', 'merchant_app', 'person', 'member', 'transaction'],
    ...['line', 'dispute', 'fraud_alert', 'trail_entry', 'saved_card'],
  ].map(
    (table) =>
      `CREATE TRIGGER keep_change AFTER INSERT OR UPDATE OR DELETE ON ${table}
        FOR EACH ROW EXECUTE FUNCTION keep_change()`,
  ),
];
