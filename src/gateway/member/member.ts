import { builder } from '../graphql/builder.ts';
import { connectionType, pagingArgs, resolvePage } from '../graphql/connection.ts';
import { implementNode, NodeRef } from '../graphql/node.ts';
import { semanticNonNull } from '../graphql/semantic-non-null.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import { readInstantOrNull, readTextOrNull } from '../rest/record.ts';
import { UserRef } from '../user/user.ts';
import { joinIds, MEMBER_ID, splitIds } from './member-id.ts';
import type { Member } from './member-source.ts';

/** A person with access to a merchant. */
const MerchantMemberRef = builder.objectRef<Member>('MerchantMember').implement({
  description:
    'A person with access to a merchant, as the payments service knows them. They have full access: they may invite and revoke others.',
  interfaces: [NodeRef],
  fields: (t) => ({
    email: t.string({
      nullable: true,
      description: 'E-mail address that was invited; null when the service does not tell.',
      resolve: (member) => readTextOrNull(member, 'email'),
    }),
    name: t.string({
      nullable: true,
      description: 'The name they gave; null until they did.',
      resolve: (member) => readTextOrNull(member, 'name'),
    }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Since when the service knows them; null when it does not tell.',
      resolve: (member) => readInstantOrNull(member, 'created'),
    }),
    userRecords: t.field({
      type: [UserRef],
      nullable: { list: true, items: false },
      description:
        "User records with this member's e-mail address (trimmed, without case): a convenience, no proof of identity. Null when user records could not be read, with an error that says why. Needs access to user records.",
      resolve: async (member, _args, { users }) => {
        const records = await users.list();
        const email = normalised(readTextOrNull(member, 'email'));
        if (email === '') return [];
        return records.filter((user) => {
          const own = typeof user.email === 'string' ? user.email : null;
          return normalised(own) === email;
        });
      },
    }),
  }),
});

function normalised(email: string | null): string {
  return (email ?? '').trim().toLowerCase();
}

// The service cannot find a member by id alone, so its node id contains the merchant's id.
implementNode(
  MerchantMemberRef,
  'mbr',
  (id, { members }) => {
    const [merchantId, memberId] = splitIds(id);
    return members.find(merchantId, memberId);
  },
  { toId: (member) => joinIds(member.merchantId, member.id), idPattern: MEMBER_ID },
);

const MerchantMemberConnection = connectionType('MerchantMember', MerchantMemberRef);

builder.objectField(MerchantRef, 'members', (t) =>
  t.field({
    type: MerchantMemberConnection,
    ...semanticNonNull,
    description: 'People with access to the merchant, newest first.',
    args: pagingArgs(t.arg),
    resolve: (merchant, args, { members }, info) =>
      resolvePage(args, info, {
        kind: 'mbr',
        fetch: (request) => members.list(merchant.id, request),
      }),
  }),
);
