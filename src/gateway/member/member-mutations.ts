import { builder } from '../graphql/builder.ts';
import { readId } from '../graphql/node-id.ts';
import { resultType } from '../graphql/result-type.ts';
import { toResult } from '../graphql/to-result.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import { readMemberId, toMemberId } from './member-id.ts';

interface Invited {
  readonly __typename: 'InviteMerchantMemberSuccess';
  readonly merchantId: string;
  readonly isMember: boolean;
}

interface Revoked {
  readonly __typename: 'RevokeMerchantMemberSuccess';
  readonly merchantId: string;
  readonly memberId: string;
}

const merchantDescription =
  'The merchant, read again. Null only if that failed; the change stands.';

const InviteSuccess = builder.objectRef<Invited>('InviteMerchantMemberSuccess').implement({
  description: 'The person has access, or was invited.',
  fields: (t) => ({
    merchant: t.field({
      type: MerchantRef,
      nullable: true,
      description: merchantDescription,
      resolve: ({ merchantId }, _args, { merchants }) => merchants.load(merchantId),
    }),
    isMember: t.boolean({
      nullable: true,
      description: 'Whether the person was a member already; false when an invitation went out.',
      resolve: ({ isMember }) => isMember,
    }),
  }),
});

const RevokeSuccess = builder.objectRef<Revoked>('RevokeMerchantMemberSuccess').implement({
  description: 'The person no longer has access.',
  fields: (t) => ({
    merchant: t.field({
      type: MerchantRef,
      nullable: true,
      description: merchantDescription,
      resolve: ({ merchantId }, _args, { merchants }) => merchants.load(merchantId),
    }),
    revokedMemberId: t.id({
      description: 'Node id of who is no member any more; for removing them from a cache.',
      resolve: ({ merchantId, memberId }) => toMemberId(merchantId, memberId),
    }),
  }),
});

const merchantId = {
  required: true,
  description: "The merchant: a node id, or the service's own id.",
} as const;

const InviteInput = builder.inputType('InviteMerchantMemberInput', {
  description: 'Whom to invite.',
  fields: (t) => ({
    merchantId: t.id(merchantId),
    email: t.string({ required: true, description: 'E-mail address of the person.' }),
  }),
});

const RevokeInput = builder.inputType('RevokeMerchantMemberInput', {
  description: 'Whose access to end.',
  fields: (t) => ({
    merchantId: t.id(merchantId),
    memberId: t.id({
      required: true,
      description: "The member of that merchant: a node id, or the service's own id.",
    }),
  }),
});

builder.mutationFields((t) => ({
  inviteMerchantMember: t.field({
    type: resultType('InviteMerchantMember', InviteSuccess),
    nullable: true,
    description: 'Gives a person access to a merchant; an e-mail tells them.',
    args: {
      input: t.arg({
        type: InviteInput,
        required: true,
        description: 'Whom to invite, and to which merchant.',
      }),
    },
    resolve: (_root, { input }, { members }) => {
      const id = readId('mer', input.merchantId, 'input.merchantId');
      return toResult(
        members.invite(id, input.email).then((isMember) => ({
          __typename: 'InviteMerchantMemberSuccess' as const,
          merchantId: id,
          isMember,
        })),
      );
    },
  }),
  revokeMerchantMember: t.field({
    type: resultType('RevokeMerchantMember', RevokeSuccess),
    nullable: true,
    description: "Ends a person's access to a merchant at once.",
    args: {
      input: t.arg({
        type: RevokeInput,
        required: true,
        description: 'Which member, and of which merchant.',
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
}));
