import type { Queryable } from '../../database/database.ts';
import { type Environment, nextId } from '../environment.ts';
import { email, required } from '../http/fields.ts';
import { httpError } from '../http/http-error.ts';
import { readListRequest } from '../http/list-request.ts';
import { emptyResponse, jsonResponse, listResponse } from '../http/response.ts';
import type { Route } from '../http/router.ts';
import type { Invite } from './invitations.ts';
import { listRows } from './list-rows.ts';
import { requireMerchant } from './merchant-row.ts';

/** A stored member. A person has the same id at every merchant. */
interface MemberRow {
  readonly id: string;
  readonly email: string;
  readonly created: Date;
}

/** Invites, revokes and lists the members of a merchant. Specification: payments, "Operations". */
export function memberRoutes(environment: Environment, invite: Invite): Route[] {
  const { database } = environment;
  return [
    {
      method: 'POST',
      path: '/merchants/:id/users',
      handle: async (request) => {
        const merchant = await requireMerchant(environment, request);
        const fields = await request.fields({ email: required(email) });
        const isMember = await database.transaction((tx) =>
          addMember(environment, tx, merchant.id, fields.email),
        );
        if (!isMember) await invite(fields.email, merchant);
        return jsonResponse(201, { isMember });
      },
    },
    {
      method: 'DELETE',
      path: '/merchants/:id/users/:userId',
      handle: async (request) => {
        const merchant = await requireMerchant(environment, request);
        const removed = await database.query(
          'DELETE FROM member WHERE merchant_id = $1 AND person_id = $2 RETURNING 1',
          [merchant.id, request.params.userId],
        );
        if (removed.length === 0) throw httpError(404, 'This merchant has no such member');
        return emptyResponse(204);
      },
    },
    {
      method: 'GET',
      path: '/merchants/:id/users',
      handle: async (request) => {
        const merchant = await requireMerchant(environment, request);
        const rows = await listRows<MemberRow>(
          database,
          'person',
          'id IN (SELECT person_id FROM member WHERE merchant_id = $1)',
          [merchant.id],
          readListRequest(request.query),
        );
        return listResponse(
          rows.map(({ id, email, created }) => ({ id, email, created, name: null })),
        );
      },
    },
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
