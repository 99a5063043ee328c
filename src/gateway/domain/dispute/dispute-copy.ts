import type { CopiedList } from '../../replica/copied-list.ts';
import { path } from '../../upstream/path.ts';
import { readInstant, readStringOrNull } from '../../upstream/record.ts';
import type { Dispute } from './dispute-source.ts';

/** How the replica copies disputes. */
export const disputeCopy: CopiedList<Dispute> = {
  kind: 'dsp',
  name: 'disputes',
  path: () => path`/disputes`,
  filters: (merchantId) => ({ 'filter[merchantId]': merchantId }),
  columns: (dispute) => ({
    created: readInstant(dispute, 'created'),
    amount: null,
    labels: [`transaction:${readStringOrNull(dispute, 'transactionId')}`],
    words: [],
  }),
  changes: ({ transactionId }) => (typeof transactionId === 'string' ? transactionId : null),
};
