import { randomBytes } from 'node:crypto';
import type { Queryable } from '../../../database/database.ts';

/** The salt of all gateways on this database. The first one makes it. */
export async function readSalt(database: Queryable): Promise<Uint8Array> {
  await database.query('INSERT INTO caller_salt (salt) VALUES ($1) ON CONFLICT DO NOTHING', [
    randomBytes(32),
  ]);
  const [row] = await database.query<{ readonly salt: Uint8Array }>('SELECT salt FROM caller_salt');
  if (row === undefined) throw new Error('The salt was not stored.');
  return row.salt;
}
