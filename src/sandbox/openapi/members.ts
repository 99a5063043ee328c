import type { Chapter } from './document.ts';
import { empty, inPath, json, operation, paging } from './operation.ts';
import { date, email, flag, id, input, listOf, record } from './schema.ts';

const merchant = inPath('id', 'Id of the merchant');

/** The people of a merchant. */
export const members: Chapter = {
  schemas: {
    Member: record({ id, email, created: date, name: { type: 'null' } }),
  },
  paths: {
    '/merchants/{id}/users': {
      get: operation({
        summary: 'The members of a merchant, newest first',
        parameters: [merchant, ...paging],
        answers: { 200: json('The members', listOf('Member')) },
        refusals: [400, 401, 403, 404],
      }),
      post: operation({
        summary: 'Invite a person to a merchant',
        parameters: [merchant],
        body: input({ email }),
        answers: { 201: json('Whether they were a member before', record({ isMember: flag })) },
        refusals: [401, 403, 404],
      }),
    },
    '/merchants/{id}/users/{userId}': {
      delete: operation({
        summary: "Revoke a member's access to a merchant",
        parameters: [merchant, inPath('userId', 'Id of the member')],
        answers: { 204: empty('They are no member any more') },
        refusals: [401, 403, 404],
      }),
    },
  },
};
