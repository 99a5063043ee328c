import type { MerchantCopy } from '../../replica/store/answers.ts';
import { builder } from '../../schema/builder.ts';
import { MerchantRef } from './merchant.ts';

const ReplicaStateRef = builder.enumType('ReplicaState', {
  description: 'The state of the replica of a merchant.',
  values: {
    COPYING: {
      description: 'The lists are being copied. Until then, searches read the payments service.',
    },
    READY: { description: 'Searches are answered from the replica.' },
    STOPPED: {
      description:
        'The replica is not kept up to date, because a list of the payments service cannot be copied. Searches read the payments service. The log of the gateway has the reason.',
    },
  },
});

const MerchantReplicaRef = builder.objectRef<MerchantCopy>('MerchantReplica').implement({
  description:
    "The replica of a merchant: the gateway's copy of its transactions, lines, disputes and fraud alerts.",
  fields: (t) => ({
    state: t.expose('state', { type: ReplicaStateRef, description: 'The state of the replica.' }),
    asOf: t.expose('asOf', {
      type: 'DateTime',
      nullable: true,
      description:
        'What lines and new transactions showed before this time is in the replica. Null until everything was copied once.',
    }),
  }),
});

builder.objectField(MerchantRef, 'replica', (t) =>
  t.field({
    type: MerchantReplicaRef,
    nullable: true,
    description:
      "The replica of the merchant's lists. Null if there is none, because the gateway's own app has no access to the merchant, or because the operator turned it off.",
    resolve: async (merchant, _args, { replica }) => (await replica.find(merchant.id)) ?? null,
  }),
);
