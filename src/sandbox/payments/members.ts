import { z } from 'zod';
import type { Queryable } from '../../database/database.ts';
import { type Environment, nextId } from '../environment.ts';
import { email, flag, page } from '../http/fields.ts';
import { httpError } from '../http/http-error.ts';
import { type DescribedRoute, defineOperation, json } from '../http/operation.ts';
import { listResponse } from '../http/response.ts';
import { date, id } from './fields.ts';
import type { Invite } from './invitations.ts';
import { listRows } from './list-rows.ts';
import { merchantInPath } from './merchant-row.ts';

/** A stored member. A person has the same id at every merchant. */
interface MemberRow {
  readonly id: string;
  readonly email: string;
  readonly created: Date;
}

const Member = z.object({ id, email, created: date, name: z.null() }).meta({ id: 'Member' });

/** Invites, revokes and lists the members of a merchant. Specification: payments, "Operations". */
export function memberRoutes(environment: Environment, invite: Invite): DescribedRoute[] {
  const { database } = environment;
  return [
    defineOperation({
      method: 'POST',
      path: '/merchants/:id/users',
      summary: 'Invite a person to a merchant. They become a member at once.',
      subject: merchantInPath(database),
      body: { email },
      responses: {
        201: json(
          '`isMember` is true if they were a member already.',
          z.object({ isMember: flag }),
        ),
      },
      handle: async ({ subject: merchant, body: { email } }) => {
        const isMember = await database.transaction((tx) =>
          addMember(environment, tx, merchant.id, email),
        );
        if (!isMember) await invite(email, merchant);
        return { isMember };
      },
    }),
    defineOperation({
      method: 'DELETE',
      path: '/merchants/:id/users/:userId',
      summary: "Revoke a member's access to a merchant.",
      subject: merchantInPath(database),
      responses: { 204: { description: 'The person is no longer a member.' } },
      handle: async ({ subject: merchant, params }) => {
        const removed = await database.query(
          'DELETE FROM member WHERE merchant_id = $1 AND person_id = $2 RETURNING 1',
          [merchant.id, params.userId],
        );
        if (removed.length === 0) throw httpError(404, 'This merchant has no such member');
      },
    }),
    defineOperation({
      method: 'GET',
      path: '/merchants/:id/users',
      summary: 'List the members of a merchant, newest first.',
      subject: merchantInPath(database),
      query: page,
      responses: { 200: json('The members.', z.array(Member)) },
      handle: async ({ subject: merchant, query }) => {
        const rows = await listRows<MemberRow>(
          database,
          'person',
          'id IN (SELECT person_id FROM member WHERE merchant_id = $1)',
          [merchant.id],
          query,
        );
        return rows.map(({ id, email, created }) => ({ id, email, created, name: null }));
      },
      respond: listResponse,
    }),
  ];
}

/**
 * Makes a person a member of a merchant. Returns whether they were a member already. A person is
 * identified by their e-mail address, ignoring case.
 */
export async function addMember(
  environment: Environment,
  tx: Queryable,
  merchantId: string,
  address: string,
): Promise<boolean> {
  await tx.query(
    `INSERT INTO person (id, email, created) SELECT $1, $2, $3
      WHERE NOT EXISTS (SELECT 1 FROM person WHERE lower(email) = lower($2))
      ON CONFLICT DO NOTHING`,
    [await nextId(environment, tx), address, environment.clock()],
  );
  const added = await tx.query(
    `INSERT INTO member (merchant_id, person_id) SELECT $1, id FROM person WHERE lower(email) = lower($2)
      ON CONFLICT DO NOTHING RETURNING 1`,
    [merchantId, address],
  );
  return added.length === 0;
}
