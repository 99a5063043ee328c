import type { Queryable } from '../database/database.ts';
import { nextId, type World } from '../world.ts';

/**
 * Makes the person behind an e-mail address a member of a merchant and answers whether
 * they were one before. A person is one id per address, compared without case.
 */
export async function addMember(
  world: World,
  tx: Queryable,
  merchantId: string,
  email: string,
): Promise<boolean> {
  let [person] = await tx.query<{ id: string }>(
    'SELECT id FROM person WHERE lower(email) = lower($1)',
    [email],
  );
  if (person === undefined) {
    [person] = await tx.query<{ id: string }>(
      'INSERT INTO person (id, email, created) VALUES ($1, $2, $3) RETURNING id',
      [await nextId(world, tx), email, world.clock()],
    );
  }
  const added = await tx.query(
    'INSERT INTO member (merchant_id, person_id) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING 1',
    [merchantId, person?.id],
  );
  return added.length === 0;
}
