import { badInput } from '../../schema/bad-input.ts';
import { builder } from '../../schema/builder.ts';
import { connectionType, pagingArgs, resolvePage } from '../../schema/connection.ts';
import { implementNode, NodeRef } from '../../schema/node.ts';
import { readId } from '../../schema/node-id.ts';
import { semanticNonNull } from '../../schema/semantic-non-null.ts';
import type { ListRequest } from '../../upstream/list.ts';
import { isObject, readStringOrNull } from '../../upstream/record.ts';
import type { User } from './user-source.ts';

/** A record of the user-records service. */
export const UserRef = builder.objectRef<User>('User').implement({
  description:
    "A name, an e-mail address and a postal address in the user-records service. A user record is not a login, and it is not linked to a `MerchantMember`: the two services share no data. The gateway's operator decides which apps have access to user records.",
  interfaces: [NodeRef],
  fields: (t) => ({
    name: t.string({
      nullable: true,
      description: 'Name of the user. Null if not reported.',
      resolve: (user, _args, { users }) =>
        users.read(user, (record) => readStringOrNull(record, 'name')),
    }),
    email: t.string({
      nullable: true,
      description: 'E-mail address of the user. Not verified. Null if not reported.',
      resolve: (user, _args, { users }) =>
        users.read(user, (record) => readStringOrNull(record, 'email')),
    }),
    address: t.string({
      nullable: true,
      description: 'Postal address as a single string. Null if not reported.',
      resolve: (user, _args, { users }) =>
        users.read(user, (record) =>
          isObject(record.address)
            ? JSON.stringify(record.address)
            : readStringOrNull(record, 'address'),
        ),
    }),
  }),
});

implementNode(UserRef, 'usr', (id, { users }) => users.load(id));

const UserConnection = connectionType('User', UserRef);

builder.objectField(UserConnection, 'totalCount', (t) =>
  t.int({
    description: 'Number of records on all pages. With `email`, only matching records are counted.',
    resolve: ({ countAll }) => countAll?.() ?? 0,
  }),
);

builder.queryFields((t) => ({
  user: t.field({
    type: UserRef,
    nullable: true,
    description:
      'A user record by its id. Null if it does not exist. Requires access to user records.',
    args: { id: t.arg.id({ required: true, description: 'A node id or a `rawId`.' }) },
    resolve: (_root, { id }, { users }) => users.load(readId('usr', id)),
  }),
  users: t.field({
    type: UserConnection,
    ...semanticNonNull,
    description:
      'User records in the order of the user-records service, oldest first. Requires access to user records. In this list, `last` works without `before`.',
    args: {
      ...pagingArgs(t.arg, { inMemory: true }),
      email: t.arg.string({
        description:
          'Return only records with this e-mail address, ignoring case and surrounding spaces. Several records can have the same e-mail address.',
      }),
    },
    resolve: async (_root, { email, ...args }, { users }, info) => {
      const find = async () => {
        const all = await users.list();
        return email == null ? all : all.filter((user) => hasEmail(user, email));
      };
      const { edges, pageInfo } = await resolvePage(args, info, {
        kind: 'usr',
        inMemory: true,
        fetch: async (request) => listInMemory(await find(), request),
      });
      return { edges, pageInfo, countAll: async () => (await find()).length };
    },
  }),
}));

/** Whether a record has an e-mail address, ignoring case and surrounding spaces. */
export function hasEmail({ email }: { readonly email?: unknown }, wanted: string): boolean {
  return typeof email === 'string' && normalise(email) === normalise(wanted);
}

function normalise(email: string): string {
  return email.trim().toLowerCase();
}

/**
 * Serves a list request from a complete list in memory, by the rules of a service with
 * pagination: `before` continues down the list, `after` continues up, nearest item first.
 */
export function listInMemory<T extends { readonly id: string }>(
  items: readonly T[],
  { limit, before, after, fromEnd }: ListRequest & { fromEnd?: true },
): readonly T[] {
  if (fromEnd) return items.slice(Math.max(0, items.length - limit)).reverse();
  if (after !== undefined) {
    const index = indexOf(items, after, 'before');
    return items.slice(Math.max(0, index - limit), index).reverse();
  }
  const start = before === undefined ? 0 : indexOf(items, before, 'after') + 1;
  return items.slice(start, start + limit);
}

/** Ids have no order here, so the position of a deleted record is not known. */
function indexOf(items: readonly { readonly id: string }[], id: string, argument: string): number {
  const index = items.findIndex((item) => item.id === id);
  if (index !== -1) return index;
  throw badInput(
    `\`${argument}\` is the cursor of a record that is no longer in the list. Start again without it.`,
    argument,
  );
}
