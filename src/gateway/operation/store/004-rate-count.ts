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
