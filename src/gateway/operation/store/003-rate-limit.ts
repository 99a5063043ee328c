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
  // With the same salt, all gateways know a caller by the same digest.
  `CREATE TABLE caller_salt (
    id smallint PRIMARY KEY DEFAULT 1 CHECK (id = 1),
    salt bytea NOT NULL)`,
];
