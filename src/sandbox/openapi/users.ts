import { type Chapter, describeService } from './document.ts';
import { empty, inPath, json, operation } from './operation.ts';
import { email, input, listOf, orNull, record, ref, text, uuid } from './schema.ts';

const name = text(1, 200);
const address = text(0, 500);
const user = json('The record', ref('User'));
const parameters = [inPath('id', 'Id of the record')];
const whole = input({ name, email, address });

const users: Chapter = {
  schemas: { User: record({ id: uuid, name, email, address }) },
  paths: {
    '/users': {
      get: operation({
        summary: 'All user records, in the order of their creation',
        answers: { 200: json('The records', listOf('User')) },
        refusals: [],
      }),
      post: operation({
        summary: 'Create a user record',
        body: whole,
        answers: { 201: { ...user, headers: { location: { schema: { type: 'string' } } } } },
        refusals: [],
      }),
    },
    '/users/{id}': {
      get: operation({
        summary: 'One user record',
        parameters,
        answers: { 200: user },
        refusals: [404],
      }),
      put: operation({
        summary: 'Replace a user record',
        parameters,
        body: whole,
        answers: { 200: user },
        refusals: [404],
      }),
      patch: operation({
        summary: 'Change at least one field of a user record',
        parameters,
        body: input({}, { name: orNull(name), email: orNull(email), address: orNull(address) }),
        answers: { 200: user },
        refusals: [404],
      }),
      delete: operation({
        summary: 'Delete a user record',
        parameters,
        answers: { 204: empty('It is gone') },
        refusals: [404],
      }),
    },
  },
};

/** The user-records service. */
export const usersDocument = describeService(
  'User records',
  'Users by id, name, e-mail and address. Fields that are not named here are ignored.',
  [users],
);
