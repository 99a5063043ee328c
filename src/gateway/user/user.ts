import { builder } from '../graphql/builder.ts';
import { connectionType, pagingArgs, resolvePage } from '../graphql/connection.ts';
import { implementNode, NodeRef } from '../graphql/node.ts';
import { readId } from '../graphql/node-id.ts';
import { semanticNonNull } from '../graphql/semantic-non-null.ts';
import { isObject, readTextOrNull } from '../rest/record.ts';
import { listInMemory } from './list-in-memory.ts';
import type { User } from './user-source.ts';

/** A record of the user-records service. */
export const UserRef = builder.objectRef<User>('User').implement({
  description:
    'A record of the user-records service. It is no member of a merchant and no login: the two services know nothing of each other.',
  interfaces: [NodeRef],
  fields: (t) => ({
    name: t.string({
      nullable: true,
      description: "The user's name; null when the record has none.",
      resolve: (user, _args, { users }) =>
        users.read(user, (record) => readTextOrNull(record, 'name')),
    }),
    email: t.string({
      nullable: true,
      description: 'E-mail address as it was stored, not verified; null when the record has none.',
      resolve: (user, _args, { users }) =>
        users.read(user, (record) => readTextOrNull(record, 'email')),
    }),
    address: t.string({
      nullable: true,
      description: 'Postal address as one text; null when the record has none.',
      resolve: (user, _args, { users }) =>
        users.read(user, (record) =>
          isObject(record.address)
            ? JSON.stringify(record.address)
            : readTextOrNull(record, 'address'),
        ),
    }),
  }),
});

implementNode(UserRef, 'usr', (id, { users }) => users.load(id));

const UserConnection = connectionType('User', UserRef);

builder.queryFields((t) => ({
  user: t.field({
    type: UserRef,
    nullable: true,
    description: 'One user record; null when there is none. Needs access to user records.',
    args: { id: t.arg.id({ required: true, description: "A node id, or the service's own id." }) },
    resolve: (_root, { id }, { users }) => users.load(readId('usr', id)),
  }),
  users: t.field({
    type: UserConnection,
    ...semanticNonNull,
    description:
      'User records in the order of the service, oldest first. Needs access to user records. Here `last` may stand alone.',
    args: pagingArgs(t.arg),
    resolve: async (_root, args, { users }, info) =>
      resolvePage(args, info, {
        kind: 'usr',
        inMemory: true,
        fetch: async (request) => listInMemory(await users.list(), request),
      }),
  }),
}));
