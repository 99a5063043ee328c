import { type DocumentPart, describeService } from './document.ts';
import { empty, inPath, json, operation } from './operation.ts';
import { email, input, listOf, orNull, record, ref, text, uuid } from './schema.ts';

const name = text(1, 200);
const address = text(0, 500);
const user = json('The user record.', ref('User'));
const parameters = [inPath('id', 'Id of the user record.')];
const allFields = input({ name, email, address });

const users: DocumentPart = {
  schemas: { User: record({ id: uuid, name, email, address }) },
  paths: {
    '/users': {
      get: operation({
        summary: 'List all user records, oldest first.',
        responses: { 200: json('The user records.', listOf('User')) },
        errors: [],
      }),
      post: operation({
        summary: 'Create a user record.',
        body: allFields,
        responses: { 201: { ...user, headers: { location: { schema: { type: 'string' } } } } },
        errors: [],
      }),
    },
    '/users/{id}': {
      get: operation({
        summary: 'Get a user record.',
        parameters,
        responses: { 200: user },
        errors: [404],
      }),
      put: operation({
        summary: 'Replace a user record.',
        parameters,
        body: allFields,
        responses: { 200: user },
        errors: [404],
      }),
      patch: operation({
        summary: 'Change one or more fields of a user record.',
        parameters,
        body: input({}, { name: orNull(name), email: orNull(email), address: orNull(address) }),
        responses: { 200: user },
        errors: [404],
      }),
      delete: operation({
        summary: 'Delete a user record.',
        parameters,
        responses: { 204: empty('The user record is deleted.') },
        errors: [404],
      }),
    },
  },
};

/** The OpenAPI document of the user-records service. */
export const usersDocument = describeService(
  'User records',
  'Users with an id, a name, an e-mail address and an address. The service has no authentication: send no key. In a request, unknown fields are ignored, and null and empty text count as missing. Only an address may be empty.',
  [users],
);
