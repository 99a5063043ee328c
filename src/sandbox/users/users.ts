import type { Queryable } from '../../database/database.ts';
import type { Environment } from '../environment.ts';
import { email, optional, required, text } from '../http/fields.ts';
import { httpError, invalidField } from '../http/http-error.ts';
import { emptyResponse, jsonResponse } from '../http/response.ts';
import type { Route } from '../http/router.ts';

/** A user record exactly as the service shows it. Specification: user records, "Resources". */
export interface UserRecord {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly address: string;
}

const COLUMNS = 'id, name, email, address';
const shape = { name: text(1, 200), email, address: text(0, 500) };
const whole = {
  name: required(shape.name),
  email: required(shape.email),
  address: required(shape.address),
};
const partial = {
  name: optional(shape.name),
  email: optional(shape.email),
  address: optional(shape.address),
};

/** The six operations of the user-records service. */
export function userRoutes(environment: Environment): Route[] {
  const { database } = environment;

  async function find(id = ''): Promise<UserRecord> {
    const [record] = await database.query<UserRecord>(
      `SELECT ${COLUMNS} FROM user_record WHERE id = $1`,
      [id],
    );
    return found(record);
  }

  return [
    {
      method: 'GET',
      path: '/users',
      handle: async () =>
        jsonResponse(200, await database.query(`SELECT ${COLUMNS} FROM user_record ORDER BY seq`)),
    },
    {
      method: 'GET',
      path: '/users/:id',
      handle: async ({ params }) => jsonResponse(200, await find(params.id)),
    },
    {
      method: 'POST',
      path: '/users',
      handle: async (request) => {
        const record = { id: environment.uuid(), ...(await request.fields(whole)) };
        await insertUser(database, record);
        return jsonResponse(201, record, { location: `/users/${record.id}` });
      },
    },
    {
      method: 'PUT',
      path: '/users/:id',
      handle: async (request) => {
        const { id } = await find(request.params.id);
        const fields = await request.fields(whole);
        const [record] = await database.query(
          `UPDATE user_record SET name = $2, email = $3, address = $4 WHERE id = $1 RETURNING ${COLUMNS}`,
          [id, fields.name, fields.email, fields.address],
        );
        return jsonResponse(200, found(record));
      },
    },
    {
      method: 'PATCH',
      path: '/users/:id',
      handle: async (request) => {
        const { id } = await find(request.params.id);
        const { name, email, address } = await request.fields(partial);
        if (name === undefined && email === undefined && address === undefined) {
          throw invalidField('body', 'Takes at least one of name, email, address');
        }
        const [record] = await database.query(
          `UPDATE user_record SET name = coalesce($2, name), email = coalesce($3, email),
            address = coalesce($4, address) WHERE id = $1 RETURNING ${COLUMNS}`,
          [id, name ?? null, email ?? null, address ?? null],
        );
        return jsonResponse(200, found(record));
      },
    },
    {
      method: 'DELETE',
      path: '/users/:id',
      handle: async ({ params }) => {
        found(
          (
            await database.query('DELETE FROM user_record WHERE id = $1 RETURNING id', [params.id])
          )[0],
        );
        return emptyResponse(204);
      },
    },
  ];
}

/** Stores one record; used by the service and by the seed. */
export async function insertUser(database: Queryable, record: UserRecord): Promise<void> {
  await database.query(
    'INSERT INTO user_record (id, name, email, address) VALUES ($1, $2, $3, $4)',
    [record.id, record.name, record.email, record.address],
  );
}

function found<T>(record: T | undefined): T {
  if (record === undefined) throw httpError(404, 'No such user');
  return record;
}
