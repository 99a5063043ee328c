import { z } from 'zod';
import type { Queryable } from '../../database/database.ts';
import type { Environment } from '../environment.ts';
import type { ServiceDescription } from '../http/document.ts';
import { email, type Fields, text } from '../http/fields.ts';
import { found, invalidField } from '../http/http-error.ts';
import { type DescribedRoute, defineOperation, type FindSubject, json } from '../http/operation.ts';
import { jsonResponse } from '../http/response.ts';

/** What the OpenAPI document says about the user-records service. */
export const usersService: ServiceDescription = {
  title: 'User records',
  description:
    'Users with an id, a name, an e-mail address and an address. The service has no authentication: send no key. In a request, unknown fields are ignored, and null and empty text count as missing. Only an address may be empty.',
};

const fields = { name: text(1, 200), email, address: text(0, 500) };
const someFields = {
  name: fields.name.optional(),
  email: fields.email.optional(),
  address: fields.address.optional(),
};

const User = z.object({ id: z.uuid(), ...fields }).meta({ id: 'User' });
const user = json('The user record.', User);

/** A user record as it appears in responses. Specification: user records, "Resources". */
export type UserRecord = z.output<typeof User>;

const COLUMNS = 'id, name, email, address';

/** The six operations of the user-records service. */
export function userRoutes({ database, uuid }: Environment): DescribedRoute[] {
  const subject: FindSubject<UserRecord> = {
    errors: [404],
    find: ({ params }) => requireUser(database, params.id),
  };
  return [...readingRoutes(database, subject), ...writingRoutes(database, uuid, subject)];
}

function readingRoutes(database: Queryable, subject: FindSubject<UserRecord>): DescribedRoute[] {
  return [
    defineOperation({
      method: 'GET',
      path: '/users',
      summary: 'List all user records, oldest first.',
      responses: { 200: json('The user records.', z.array(User)) },
      handle: () => database.query(`SELECT ${COLUMNS} FROM user_record ORDER BY seq`),
    }),
    defineOperation({
      method: 'GET',
      path: '/users/:id',
      summary: 'Get a user record.',
      subject,
      responses: { 200: user },
      handle: async (request) => request.subject,
    }),
  ];
}

function writingRoutes(
  database: Queryable,
  uuid: () => string,
  subject: FindSubject<UserRecord>,
): DescribedRoute[] {
  return [
    defineOperation({
      method: 'POST',
      path: '/users',
      summary: 'Create a user record.',
      body: fields,
      responses: { 201: { ...user, headers: { location: { schema: { type: 'string' } } } } },
      handle: async ({ body }) => {
        const record = { id: uuid(), ...body };
        await insertUser(database, record);
        return record;
      },
      respond: (record, status) =>
        jsonResponse(status, record, { location: `/users/${record.id}` }),
    }),
    defineOperation({
      method: 'PUT',
      path: '/users/:id',
      summary: 'Replace a user record.',
      subject,
      body: fields,
      responses: { 200: user },
      handle: ({ subject: { id }, body }) => updateUser(database, id, body),
    }),
    defineOperation({
      method: 'PATCH',
      path: '/users/:id',
      summary: 'Change one or more fields of a user record.',
      subject,
      body: someFields,
      responses: { 200: user },
      handle: ({ subject: { id }, body }) => {
        if (Object.values(body).every((value) => value === undefined)) {
          throw invalidField('body', 'Must contain at least one of name, email and address');
        }
        return updateUser(database, id, body);
      },
    }),
    defineOperation({
      method: 'DELETE',
      path: '/users/:id',
      summary: 'Delete a user record.',
      responses: { 204: { description: 'The user record is deleted.' } },
      errors: [404],
      handle: async ({ params }) => {
        const [deleted] = await database.query(
          'DELETE FROM user_record WHERE id = $1 RETURNING 1',
          [params.id],
        );
        found(deleted, 'This user');
      },
    }),
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
  { name, email, address }: Fields<typeof someFields>,
): Promise<UserRecord> {
  const [record] = await database.query<UserRecord>(
    `UPDATE user_record SET name = coalesce($2, name), email = coalesce($3, email),
      address = coalesce($4, address) WHERE id = $1 RETURNING ${COLUMNS}`,
    [id, name ?? null, email ?? null, address ?? null],
  );
  return found(record, 'This user');
}

async function requireUser(database: Queryable, id = ''): Promise<UserRecord> {
  const [record] = await database.query<UserRecord>(
    `SELECT ${COLUMNS} FROM user_record WHERE id = $1`,
    [id],
  );
  return found(record, 'This user');
}
