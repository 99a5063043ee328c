CREATE TABLE replica_calls (
  id smallint NOT NULL DEFAULT 1,
  next_at timestamp with time zone NOT NULL DEFAULT now(),
  merchants_at timestamp with time zone NOT NULL DEFAULT now(),
  calls bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (id),
  CHECK ((id = 1)));

CREATE TABLE replica_event (
  merchant text NOT NULL,
  seq bigint NOT NULL,
  kind text NOT NULL,
  subject text NOT NULL,
  happened timestamp with time zone,
  seen timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  transaction text,
  item_kind text,
  item text,
  entry text,
  PRIMARY KEY (merchant, seq),
  FOREIGN KEY (merchant) REFERENCES replica_feed(merchant) ON DELETE CASCADE);

CREATE TABLE replica_feed (
  merchant text NOT NULL,
  seq bigint NOT NULL DEFAULT 0,
  as_of timestamp with time zone NOT NULL,
  trimmed bigint NOT NULL DEFAULT 0,
  trimmed_to timestamp with time zone,
  made timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (merchant));

CREATE TABLE replica_list (
  merchant text NOT NULL,
  kind text NOT NULL,
  place text,
  is_walked boolean NOT NULL DEFAULT false,
  PRIMARY KEY (merchant, kind),
  FOREIGN KEY (merchant) REFERENCES replica_merchant(merchant) ON DELETE CASCADE);

CREATE TABLE replica_merchant (
  merchant text NOT NULL,
  state text NOT NULL DEFAULT 'COPYING'::text,
  reason text,
  as_of timestamp with time zone,
  next_at timestamp with time zone NOT NULL DEFAULT now(),
  leased_until timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  epoch bigint NOT NULL DEFAULT 0,
  polls bigint NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  wanted_at timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  changed_at timestamp with time zone NOT NULL DEFAULT now(),
  compared_at timestamp with time zone NOT NULL DEFAULT now(),
  repaired bigint NOT NULL DEFAULT 0,
  left_at timestamp with time zone,
  PRIMARY KEY (merchant),
  CHECK ((state = ANY (ARRAY['COPYING'::text, 'READY'::text, 'STOPPED'::text]))));

CREATE TABLE replica_migration (
  version integer NOT NULL,
  applied timestamp with time zone NOT NULL DEFAULT now(),
  sha256 text,
  oldest integer,
  PRIMARY KEY (version));

CREATE TABLE replica_record (
  merchant text NOT NULL,
  kind text NOT NULL,
  id text NOT NULL,
  position double precision NOT NULL,
  record text NOT NULL,
  version integer NOT NULL,
  read_at timestamp with time zone NOT NULL,
  created timestamp with time zone,
  amount bigint,
  labels text[] NOT NULL,
  words text NOT NULL,
  due_at timestamp with time zone,
  deleted boolean NOT NULL DEFAULT false,
  groups text[] NOT NULL,
  sums bigint[] NOT NULL,
  expected text[] NOT NULL DEFAULT '{}'::text[],
  reads_left smallint NOT NULL DEFAULT 0,
  PRIMARY KEY (merchant, kind, id),
  FOREIGN KEY (merchant) REFERENCES replica_merchant(merchant) ON DELETE CASCADE);

CREATE TABLE webhook_attempt (
  merchant text NOT NULL,
  endpoint text NOT NULL,
  number bigint NOT NULL,
  at timestamp with time zone NOT NULL DEFAULT clock_timestamp(),
  status integer,
  error text,
  duration_ms integer NOT NULL,
  PRIMARY KEY (merchant, endpoint, number, at),
  FOREIGN KEY (merchant, endpoint, number) REFERENCES webhook_delivery(merchant, endpoint, number) ON DELETE CASCADE);

CREATE TABLE webhook_delivery (
  merchant text NOT NULL,
  endpoint text NOT NULL,
  number bigint NOT NULL,
  seq bigint,
  state text NOT NULL DEFAULT 'PENDING'::text,
  attempts integer NOT NULL DEFAULT 0,
  next_at timestamp with time zone DEFAULT now(),
  leased_until timestamp with time zone NOT NULL DEFAULT '-infinity'::timestamp with time zone,
  created timestamp with time zone NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant, endpoint, number),
  FOREIGN KEY (merchant, endpoint) REFERENCES webhook_endpoint(merchant, id) ON DELETE CASCADE,
  CHECK ((state = ANY (ARRAY['PENDING'::text, 'SUCCEEDED'::text, 'FAILED'::text]))));

CREATE TABLE webhook_endpoint (
  merchant text NOT NULL,
  id text NOT NULL DEFAULT replace((gen_random_uuid())::text, '-'::text, ''::text),
  url text NOT NULL,
  kinds text[],
  secrets text[] NOT NULL,
  old_until timestamp with time zone,
  seq bigint NOT NULL,
  deliveries bigint NOT NULL DEFAULT 0,
  disabled text,
  failing_since timestamp with time zone,
  created timestamp with time zone NOT NULL DEFAULT now(),
  accepted boolean NOT NULL DEFAULT false,
  PRIMARY KEY (merchant, id));

CREATE INDEX replica_amount ON replica_record USING btree (merchant, kind, amount, "position");
CREATE INDEX replica_created ON replica_record USING btree (merchant, kind, created, "position");
CREATE INDEX replica_due ON replica_record USING btree (merchant, kind, due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX replica_event_seen ON replica_event USING btree (seen);
CREATE INDEX replica_labels ON replica_record USING gin (labels);
CREATE INDEX replica_next ON replica_merchant USING btree (next_at);
CREATE INDEX webhook_created ON webhook_delivery USING btree (created);
CREATE INDEX webhook_leased ON webhook_delivery USING btree (leased_until) WHERE (leased_until > '-infinity'::timestamp with time zone);
CREATE INDEX webhook_next ON webhook_delivery USING btree (merchant, endpoint, next_at) WHERE (next_at IS NOT NULL);
CREATE SEQUENCE replica_epoch;
CREATE UNIQUE INDEX replica_event_subject ON replica_event USING btree (merchant, kind, subject);
CREATE UNIQUE INDEX replica_position ON replica_record USING btree (merchant, kind, "position");
