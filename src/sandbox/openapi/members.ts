import type { DocumentPart } from './document.ts';
import { empty, inPath, json, listParameters, operation } from './operation.ts';
import { date, email, flag, id, input, listOf, record } from './schema.ts';

const merchant = inPath('id', 'Id of the merchant.');

/** The members of a merchant. */
export const members: DocumentPart = {
  schemas: {
    Member: record({ id, email, created: date, name: { type: 'null' } }),
  },
  paths: {
    '/merchants/{id}/users': {
      get: operation({
        summary: 'List the members of a merchant, newest first.',
        parameters: [merchant, ...listParameters],
        responses: { 200: json('The members.', listOf('Member')) },
        errors: [400, 401, 403, 404],
      }),
      post: operation({
        summary: 'Invite a person to a merchant. They become a member at once.',
        parameters: [merchant],
        body: input({ email }),
        responses: {
          201: json(
            '`isMember` is true if they were a member already.',
            record({ isMember: flag }),
          ),
        },
        errors: [401, 403, 404],
      }),
    },
    '/merchants/{id}/users/{userId}': {
      delete: operation({
        summary: "Revoke a member's access to a merchant.",
        parameters: [merchant, inPath('userId', 'Id of the member.')],
        responses: { 204: empty('The person is no longer a member.') },
        errors: [401, 403, 404],
      }),
    },
  },
};
