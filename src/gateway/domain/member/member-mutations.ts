import { builder } from '../../schema/builder.ts';
import { resultType } from '../../schema/mutation-error.ts';
import { readId } from '../../schema/node-id.ts';
import { toResult } from '../../schema/to-result.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import { hasEmail } from '../user/user.ts';
import { MerchantMemberRef, readMemberId, toMemberId } from './member.ts';

interface Invited {
  readonly __typename: 'InviteMerchantMemberSuccess';
  readonly merchantId: string;
  readonly email: string;
  readonly isMember: boolean;
}

interface Revoked {
  readonly __typename: 'RevokeMerchantMemberSuccess';
  readonly merchantId: string;
  readonly memberId: string;
}

const merchantDescription =
  'The merchant after the change. Null only if it could not be read afterwards; the change itself succeeded.';

const InviteSuccess = builder.objectRef<Invited>('InviteMerchantMemberSuccess').implement({
  description: 'The person was invited to the merchant, or was already a member.',
  fields: (t) => ({
    merchant: t.field({
      type: MerchantRef,
      nullable: true,
      description: merchantDescription,
      resolve: ({ merchantId }, _args, { merchants }) => merchants.load(merchantId),
    }),
    member: t.field({
      type: MerchantMemberRef,
      nullable: true,
      description:
        'The person as a member of the merchant. Null if the member could not be read, or if the payments service does not list the person yet; the invitation succeeded in both cases.',
      resolve: ({ merchantId, email }, _args, { members }) =>
        members.find(merchantId, (member) => hasEmail(member, email)),
    }),
    isMember: t.boolean({
      nullable: true,
      description:
        'Whether the person was already a member before this request. False if not reported. The type is nullable, but the value is never null.',
      resolve: ({ isMember }) => isMember,
    }),
  }),
});

const RevokeSuccess = builder.objectRef<Revoked>('RevokeMerchantMemberSuccess').implement({
  description: 'The person no longer has access to the merchant.',
  fields: (t) => ({
    merchant: t.field({
      type: MerchantRef,
      nullable: true,
      description: merchantDescription,
      resolve: ({ merchantId }, _args, { merchants }) => merchants.load(merchantId),
    }),
    revokedMemberId: t.id({
      description: 'Node id of the former member. Use it to remove the member from a cache.',
      resolve: ({ merchantId, memberId }) => toMemberId(merchantId, memberId),
    }),
  }),
});

const merchantId = {
  required: true,
  description: 'The merchant: a node id or a `rawId`.',
} as const;

const InviteInput = builder.inputType('InviteMerchantMemberInput', {
  description: 'The person to invite, and the merchant.',
  fields: (t) => ({
    merchantId: t.id(merchantId),
    email: t.string({ required: true, description: 'E-mail address of the person.' }),
  }),
});

const RevokeInput = builder.inputType('RevokeMerchantMemberInput', {
  description: 'The member to remove, and the merchant.',
  fields: (t) => ({
    merchantId: t.id(merchantId),
    memberId: t.id({
      required: true,
      description: 'The member of the merchant `merchantId`: a node id or a `rawId`.',
    }),
  }),
});

builder.mutationField('inviteMerchantMember', (t) =>
  t.field({
    type: resultType('InviteMerchantMember', InviteSuccess),
    nullable: true,
    description:
      'Invites a person to become a member of a merchant, with full access. The payments service decides whether it sends an e-mail.',
    args: {
      input: t.arg({
        type: InviteInput,
        required: true,
        description: 'The person to invite, and the merchant.',
      }),
    },
    resolve: (_root, { input }, { members }) => {
      const id = readId('mer', input.merchantId, 'input.merchantId');
      return toResult(
        members.invite(id, input.email).then((isMember) => ({
          __typename: 'InviteMerchantMemberSuccess' as const,
          merchantId: id,
          email: input.email,
          isMember,
        })),
      );
    },
  }),
);

builder.mutationField('revokeMerchantMember', (t) =>
  t.field({
    type: resultType('RevokeMerchantMember', RevokeSuccess),
    nullable: true,
    description: "Ends a person's access to a merchant immediately.",
    args: {
      input: t.arg({
        type: RevokeInput,
        required: true,
        description: 'The member to remove, and the merchant.',
      }),
    },
    resolve: (_root, { input }, { members }) => {
      const id = readId('mer', input.merchantId, 'input.merchantId');
      const memberId = readMemberId(input.memberId, id, 'input.memberId');
      return toResult(
        members.revoke(id, memberId).then(() => ({
          __typename: 'RevokeMerchantMemberSuccess' as const,
          merchantId: id,
          memberId,
        })),
      );
    },
  }),
);
