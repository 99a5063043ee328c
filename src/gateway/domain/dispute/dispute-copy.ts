import type { CopiedList } from '../../replica/copied-list.ts';
import { path } from '../../upstream/path.ts';
import {
  isObject,
  readInstant,
  readIntegerOrNull,
  readStringOrNull,
} from '../../upstream/record.ts';
import type { Dispute } from './dispute-source.ts';

/** How the replica copies disputes. */
export const disputeCopy: CopiedList<Dispute> = {
  kind: 'dsp',
  name: 'disputes',
  path: () => path`/disputes`,
  filters: (merchantId) => ({ 'filter[merchantId]': merchantId }),
  columns: (dispute) => ({
    created: readInstant(dispute, 'created'),
    amount: readIntegerOrNull(dispute, 'amount'),
    labels: [`transaction:${readStringOrNull(dispute, 'transactionId')}`],
    words: [dispute.id, readStringOrNull(dispute, 'transactionId') ?? '', reasonOf(dispute) ?? ''],
  }),
  changes: ({ transactionId }) => (typeof transactionId === 'string' ? transactionId : null),
  facts: (dispute, before) =>
    before !== undefined
      ? []
      : [
          {
            kind: 'DISPUTE_OPENED',
            subject: dispute.id,
            happened: readInstant(dispute, 'created'),
            transaction: readStringOrNull(dispute, 'transactionId'),
            item: { kind: 'dsp', id: dispute.id },
            entry: null,
          },
        ],
};

/** The reason as text; null if not reported. Throws a `ShapeError`. */
export function reasonOf({ reason }: Dispute): string | null {
  return isObject(reason) ? readStringOrNull(reason, 'title') : null;
}
