import { badInput } from '../../schema/bad-input.ts';
import { builder } from '../../schema/builder.ts';
import { connectionType, pagingArgs, resolvePage } from '../../schema/connection.ts';
import { implementNode, NodeRef } from '../../schema/node.ts';
import { readId, toNodeId } from '../../schema/node-id.ts';
import { semanticNonNull } from '../../schema/semantic-non-null.ts';
import { readInstantOrNull, readStringOrNull } from '../../upstream/record.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import { hasEmail, UserRef } from '../user/user.ts';
import type { Member } from './member-source.ts';

/** The form of a member's node id after its prefix: the merchant's id, a dot, the member's id. */
const MEMBER_ID = /^([A-Za-z0-9_-]{1,128})\.([A-Za-z0-9_-]{1,128})$/;

/** Joins the ids of a merchant and a member: the service needs both to find a member. */
function joinIds(merchantId: string, memberId: string): string {
  return `${merchantId}.${memberId}`;
}

/** The two ids of {@link joinIds}. */
function splitIds(joined: string): readonly [merchantId: string, memberId: string] {
  const [, merchantId = '', memberId = ''] = MEMBER_ID.exec(joined) ?? [];
  return [merchantId, memberId];
}

/** The node id of a member. */
export function toMemberId(merchantId: string, memberId: string): string {
  return toNodeId('mbr', joinIds(merchantId, memberId));
}

/**
 * Reads an `ID` argument that names a member of a merchant: a node id, which must be of
 * that merchant, or a `rawId`.
 */
export function readMemberId(id: string, merchantId: string, argument: string): string {
  const joined = MEMBER_ID.exec(id.startsWith('mbr_') ? id.slice(4) : '');
  if (joined === null) return readId('mbr', id, argument);
  const [, ownMerchantId, memberId = ''] = joined;
  if (ownMerchantId === merchantId) return memberId;
  throw badInput(`\`${argument}\` is a member of another merchant.`, argument);
}

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
