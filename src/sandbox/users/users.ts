import type { Queryable } from '../../database/database.ts';
import type { Environment } from '../environment.ts';
import {
  email,
  optional,
  optionalOrEmpty,
  required,
  requiredOrEmpty,
  text,
} from '../http/fields.ts';
import { httpError, invalidField } from '../http/http-error.ts';
import { emptyResponse, jsonResponse } from '../http/response.ts';
import type { Route } from '../http/router.ts';

/** A user record as it appears in responses. Specification: user records, "Resources". */
export interface UserRecord {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly address: string;
}

const COLUMNS = 'id, name, email, address';
const name = text(1, 200);
const address = text(1, 500);
const allFields = {
  name: required(name),
  email: required(email),
  address: requiredOrEmpty(address),
};
const someFields = {
  name: optional(name),
  email: optional(email),
  address: optionalOrEmpty(address),
};

/** The six operations of the user-records service. */
export function userRoutes({ database, uuid }: Environment): Route[] {
  return [...readingRoutes(database), ...writingRoutes(database, uuid)];
}

function readingRoutes(database: Queryable): Route[] {
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
      handle: async ({ params }) => jsonResponse(200, await requireUser(database, params.id)),
    },
  ];
}

function writingRoutes(database: Queryable, uuid: () => string): Route[] {
  return [
    {
      method: 'POST',
      path: '/users',
      handle: async (request) => {
        const record = { id: uuid(), ...(await request.fields(allFields)) };
        await insertUser(database, record);
        return jsonResponse(201, record, { location: `/users/${record.id}` });
      },
    },
    {
      method: 'PUT',
      path: '/users/:id',
      handle: async (request) => {
        const { id } = await requireUser(database, request.params.id);
        const fields = await request.fields(allFields);
        return jsonResponse(200, await updateUser(database, id, fields));
      },
    },
    {
      method: 'PATCH',
      path: '/users/:id',
      handle: async (request) => {
        const { id } = await requireUser(database, request.params.id);
        const fields = await request.fields(someFields);
        if (Object.values(fields).every((value) => value === undefined)) {
          throw invalidField('body', 'Must contain at least one of name, email and address');
        }
        return jsonResponse(200, await updateUser(database, id, fields));
      },
    },
    {
      method: 'DELETE',
      path: '/users/:id',
      handle: async ({ params }) => {
        const deleted = await database.query(
          `DELETE FROM user_record WHERE id = $1 RETURNING ${COLUMNS}`,
          [params.id],
        );
        found(deleted[0]);
        return emptyResponse(204);
      },
    },
  ];
}

/** Inserts one user record. The service and the seed use it. */
export async function insertUser(database: Queryable, record: UserRecord): Promise<void> {
  await database.query(
    'INSERT INTO user_record (id, name, email, address) VALUES ($1, $2, $3, $4)',
    [record.id, record.name, record.email, record.address],
  );
}

/** Changes the fields that are not undefined. Throws 404 if the record was deleted. */
async function updateUser(
  database: Queryable,
  id: string,
  { name, email, address }: { [K in keyof typeof someFields]: string | undefined },
): Promise<UserRecord> {
  const [record] = await database.query<UserRecord>(
    `UPDATE user_record SET name = coalesce($2, name), email = coalesce($3, email),
      address = coalesce($4, address) WHERE id = $1 RETURNING ${COLUMNS}`,
    [id, name ?? null, email ?? null, address ?? null],
  );
  return found(record);
}

async function requireUser(database: Queryable, id = ''): Promise<UserRecord> {
  const [record] = await database.query<UserRecord>(
    `SELECT ${COLUMNS} FROM user_record WHERE id = $1`,
    [id],
  );
  return found(record);
}

function found<T>(record: T | undefined): T {
  if (record === undefined) throw httpError(404, 'This user does not exist');
  return record;
}
