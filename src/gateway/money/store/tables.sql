CREATE TABLE caller_salt (
  id smallint NOT NULL DEFAULT 1,
  salt bytea NOT NULL,
  PRIMARY KEY (id),
  CHECK ((id = 1)));

CREATE TABLE money_operation (
  id uuid NOT NULL,
  merchant_id text NOT NULL,
  key text NOT NULL,
  kind text NOT NULL,
  lock_key text,
  transaction_id text,
  amount bigint NOT NULL,
  currency text NOT NULL,
  fingerprint_version smallint NOT NULL,
  fingerprint bytea NOT NULL,
  state text NOT NULL,
  posts smallint NOT NULL DEFAULT 0,
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
  evidence text,
  created_at timestamp with time zone NOT NULL DEFAULT now(),
  sending_at timestamp with time zone,
  sending_elapsed bigint,
  responded_elapsed bigint,
  lease_until timestamp with time zone,
  resolved_at timestamp with time zone,
  ended_elapsed bigint,
  shown boolean NOT NULL DEFAULT false,
  UNIQUE (merchant_id, key),
  PRIMARY KEY (id),
  CHECK ((((entry_line IS NULL) AND (entry_properties IS NULL) AND (seen IS NULL)) OR (state = 'SUCCEEDED'::text))),
  CHECK (((amount >= 1) AND (amount <= '9007199254740991'::bigint))),
  CHECK (((kind <> 'CREATE'::text) OR (posts <= 1))),
  CHECK (((kind = 'CREATE'::text) = (lock_key IS NULL))),
  CHECK (((kind = 'CREATE'::text) OR (transaction_id IS NOT NULL))),
  CHECK (((length(key) >= 1) AND (length(key) <= 255))),
  CHECK (((posts >= 0) AND (posts <= 2))),
  CHECK (((resolved_at IS NULL) = (evidence IS NULL))),
  CHECK (((response IS NOT NULL) OR (responded_elapsed IS NULL))),
  CHECK (((state <> 'RELEASED'::text) OR ((response ->> 'kind'::text) = 'RELEASED'::text))),
  CHECK (((state = 'PREPARED'::text) = (posts = 0))),
  CHECK (((state = 'PREPARED'::text) = (sending_at IS NULL))),
  CHECK (((state = 'PREPARED'::text) = (snapshot IS NULL))),
  CHECK (((state = 'REJECTED'::text) = (rejection IS NOT NULL))),
  CHECK (((state = ANY (ARRAY['SUCCEEDED'::text, 'REJECTED'::text, 'NOT_APPLIED'::text])) = (resolved_at IS NOT NULL))),
  CHECK ((evidence = ANY (ARRAY['ANSWERED'::text, 'READ_BACK'::text, 'PROVEN'::text, 'PRESUMED'::text, 'OPERATOR'::text]))),
  CHECK ((kind = ANY (ARRAY['CAPTURE'::text, 'REFUND'::text, 'VOID'::text, 'CREATE'::text]))),
  CHECK ((state = ANY (ARRAY['PREPARED'::text, 'SENDING'::text, 'UNKNOWN'::text, 'RELEASED'::text, 'SUCCEEDED'::text, 'REJECTED'::text, 'NOT_APPLIED'::text]))));

CREATE TABLE money_operation_event (
  seq bigint NOT NULL,
  operation uuid NOT NULL,
  at timestamp with time zone NOT NULL DEFAULT now(),
  from_state text,
  to_state text,
  epoch integer NOT NULL,
  detail jsonb NOT NULL,
  elapsed bigint NOT NULL,
  PRIMARY KEY (seq));

CREATE TABLE rate_account (
  owner text NOT NULL,
  points double precision NOT NULL,
  taken double precision NOT NULL,
  at timestamp with time zone NOT NULL,
  PRIMARY KEY (owner));

CREATE TABLE rate_count (
  key text NOT NULL,
  points bigint NOT NULL,
  expire bigint,
  PRIMARY KEY (key));

CREATE TABLE store_clock (
  id smallint NOT NULL DEFAULT 1,
  elapsed bigint NOT NULL DEFAULT 0,
  swept_at timestamp with time zone NOT NULL DEFAULT now(),
  PRIMARY KEY (id),
  CHECK ((id = 1)));

CREATE TABLE store_migration (
  version integer NOT NULL,
  applied timestamp with time zone NOT NULL DEFAULT now(),
  sha256 text,
  oldest integer,
  PRIMARY KEY (version));

CREATE INDEX money_ended ON money_operation USING btree (ended_elapsed) WHERE (ended_elapsed IS NOT NULL);
CREATE INDEX money_ended_unstamped ON money_operation USING btree (id) WHERE ((state = ANY (ARRAY['RELEASED'::text, 'SUCCEEDED'::text, 'REJECTED'::text, 'NOT_APPLIED'::text])) AND (ended_elapsed IS NULL));
CREATE INDEX money_event_elapsed ON money_operation_event USING btree (elapsed);
CREATE INDEX money_event_operation ON money_operation_event USING btree (operation);
CREATE INDEX money_late ON money_operation USING btree (merchant_id, resolved_at) WHERE ((resolved_at IS NOT NULL) AND ((evidence <> 'ANSWERED'::text) OR (posts > 1)));
CREATE INDEX money_leased ON money_operation USING btree (lease_until) WHERE (state = ANY (ARRAY['PREPARED'::text, 'SENDING'::text]));
CREATE INDEX money_merchant ON money_operation USING btree (merchant_id, created_at, id);
CREATE INDEX money_merchant_without_success ON money_operation USING btree (merchant_id, created_at, id) WHERE (state <> 'SUCCEEDED'::text);
CREATE INDEX money_not_shown ON money_operation USING btree (merchant_id) WHERE ((state = 'SUCCEEDED'::text) AND (NOT shown) AND (transaction_id IS NOT NULL));
CREATE INDEX money_responded_unstamped ON money_operation USING btree (id) WHERE ((state = 'UNKNOWN'::text) AND (response IS NOT NULL) AND (responded_elapsed IS NULL));
CREATE INDEX money_sent_unstamped ON money_operation USING btree (id) WHERE ((state = ANY (ARRAY['SENDING'::text, 'UNKNOWN'::text])) AND (sending_elapsed IS NULL));
CREATE INDEX money_transaction ON money_operation USING btree (transaction_id) WHERE (transaction_id IS NOT NULL);
CREATE INDEX money_unknown ON money_operation USING btree (id) WHERE ((state = 'UNKNOWN'::text) AND (NOT needs_operator));
CREATE SEQUENCE money_operation_event_seq_seq;
CREATE UNIQUE INDEX money_one_open_per_lock_key ON money_operation USING btree (lock_key) WHERE (state = ANY (ARRAY['PREPARED'::text, 'SENDING'::text, 'UNKNOWN'::text]));
CREATE UNIQUE INDEX money_one_operation_per_entry ON money_operation USING btree (entry_properties) WHERE (entry_properties IS NOT NULL);
CREATE UNIQUE INDEX money_one_operation_per_line ON money_operation USING btree (entry_line) WHERE (entry_line IS NOT NULL);
CREATE UNIQUE INDEX money_operation_merchant_id_key_key ON money_operation USING btree (merchant_id, key);
