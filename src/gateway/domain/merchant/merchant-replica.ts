import type { MerchantProgress } from '../../replica/replica.ts';
import { builder } from '../../schema/builder.ts';
import { semanticNonNull } from '../../schema/semantic-non-null.ts';
import { SearchProgressRef } from '../../search/search-progress.ts';
import { readInstantOrNull } from '../../upstream/record.ts';
import { loadMerchants } from './accessible-merchants.ts';
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

const MerchantReplicaRef = builder
  .objectRef<MerchantProgress & { readonly since: Date | null }>('MerchantReplica')
  .implement({
    description:
      "The replica of a merchant: the gateway's copy of its transactions, lines, disputes and fraud alerts.",
    fields: (t) => ({
      state: t.expose('state', { type: ReplicaStateRef, description: 'The state of the replica.' }),
      progress: t.float({
        nullable: true,
        description:
          'How much is copied, from 0 to 1: an estimate from the time since the merchant was created. 1 once everything was copied. Null if it is not known when the merchant was created.',
        resolve: ({ state, lists, since }) => (state === 'READY' ? 1 : progressOf(lists, since)),
      }),
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
    resolve: async (merchant, _args, { replica }) => {
      const found = await replica.find(merchant.id);
      return found === undefined
        ? null
        : { ...found, since: readInstantOrNull(merchant, 'created') };
    },
  }),
);

builder.objectField(SearchProgressRef, 'leftOut', (t) =>
  t.field({
    type: [MerchantRef],
    ...semanticNonNull,
    description:
      'Merchants whose records are not in the result or in `totalCount`, because they have no replica that is up to date: `Merchant.replica` says why. Empty unless the list is of several merchants.',
    resolve: ({ leftOut }, _args, context) => loadMerchants(leftOut, context),
  }),
);

/** The share of the time since the merchant was created that the lists are copied back to. */
function progressOf(lists: MerchantProgress['lists'], since: Date | null): number | null {
  if (since === null) return null;
  const age = Math.max(1, Date.now() - since.getTime());
  const shares = lists.map(({ isWalked, created }) => {
    if (isWalked) return 1;
    return created === null ? 0 : Math.min(1, (Date.now() - created.getTime()) / age);
  });
  return shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length);
}
