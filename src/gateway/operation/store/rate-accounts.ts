import { randomBytes } from 'node:crypto';
import type { Queryable } from '../../../database/database.ts';

/** What a gateway took of an account. */
export interface TakenPoints {
  /** 0 if there were too few. */
  readonly taken: number;
  /** What the account has left. */
  readonly left: number;
}

const [NEEDED, WANTED, PER_MINUTE] = [2, 3, 4].map((index) => `$${index}::double precision`);
const EARNED = `least(${PER_MINUTE},
  rate_account.points + greatest(0, extract(epoch FROM clock_timestamp() - rate_account.at)) * ${PER_MINUTE} / 60)`;

/**
 * Takes points of an account that earns `perMinute` of them in a minute, and can have as many.
 * One statement, so gateways that take at the same time never take the same points.
 *
 * @param needed the least number of points that helps
 * @param wanted more, if there are so many
 */
export async function takePoints(
  database: Queryable,
  owner: string,
  { needed, wanted, perMinute }: Record<'needed' | 'wanted' | 'perMinute', number>,
): Promise<TakenPoints> {
  const taken = `CASE WHEN ${EARNED} >= ${NEEDED} THEN least(${EARNED}, ${WANTED}) ELSE 0 END`;
  const [account] = await database.query<TakenPoints>(
    `INSERT INTO rate_account (owner, points, taken, at)
       VALUES ($1, ${PER_MINUTE} - least(${WANTED}, ${PER_MINUTE}), least(${WANTED}, ${PER_MINUTE}), clock_timestamp())
     ON CONFLICT (owner) DO UPDATE
       SET points = ${EARNED} - ${taken}, taken = ${taken}, at = clock_timestamp()
     RETURNING taken, points AS left`,
    [owner, needed, wanted, perMinute],
  );
  return account ?? { taken: 0, left: 0 };
}

/** Deletes the accounts that have been full for long. */
export async function forgetAccounts(database: Queryable): Promise<void> {
  await database.query(`DELETE FROM rate_account WHERE at < now() - interval '10 minutes'`);
}

/** The salt of all gateways on this database. The first one makes it. */
export async function readSalt(database: Queryable): Promise<Uint8Array> {
  await database.query('INSERT INTO caller_salt (salt) VALUES ($1) ON CONFLICT DO NOTHING', [
    randomBytes(32),
  ]);
  const [row] = await database.query<{ readonly salt: Uint8Array }>('SELECT salt FROM caller_salt');
  if (row === undefined) throw new Error('The salt was not stored.');
  return row.salt;
}
