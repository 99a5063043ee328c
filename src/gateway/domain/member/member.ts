import { builder } from '../../schema/builder.ts';
import { connectionType, pagingArgs, resolvePage } from '../../schema/connection.ts';
import { implementNode, NodeRef } from '../../schema/node.ts';
import { semanticNonNull } from '../../schema/semantic-non-null.ts';
import { readInstantOrNull, readStringOrNull } from '../../upstream/record.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import { hasEmail, UserRef } from '../user/user.ts';
import { joinIds, MEMBER_ID, splitIds } from './member-id.ts';
import type { Member } from './member-source.ts';

/** A person with access to a merchant. */
export const MerchantMemberRef = builder.objectRef<Member>('MerchantMember').implement({
  description:
    'A person with full access to a merchant, who can also invite and remove members. Members belong to the payments service and are not user records.',
  interfaces: [NodeRef],
  fields: (t) => ({
    email: t.string({
      nullable: true,
      description: 'E-mail address of the invitation. Null if not reported.',
      resolve: (member) => readStringOrNull(member, 'email'),
    }),
    name: t.string({
      nullable: true,
      description: 'Name of the person. Null until the person enters one.',
      resolve: (member) => readStringOrNull(member, 'name'),
    }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When the person was added to the payments service. Null if not reported.',
      resolve: (member) => readInstantOrNull(member, 'created'),
    }),
    userRecords: t.field({
      type: [UserRef],
      nullable: { list: true, items: false },
      description:
        'User records with the same e-mail address, ignoring case and surrounding spaces. A matching address does not prove that a record belongs to the same person. Null if user records could not be read; `errors` contains the reason. Requires access to user records.',
      resolve: async (member, _args, { users }) => {
        const records = await users.list();
        const email = readStringOrNull(member, 'email') ?? '';
        return email.trim() === '' ? [] : records.filter((user) => hasEmail(user, email));
      },
    }),
  }),
});

// The service cannot find a member by id alone, so the node id contains the merchant's id.
implementNode(
  MerchantMemberRef,
  'mbr',
  (id, { members }) => {
    const [merchantId, memberId] = splitIds(id);
    return members.find(merchantId, (member) => member.id === memberId);
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
