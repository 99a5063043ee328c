import type { CopiedList } from '../../replica/copied-list.ts';
import { path } from '../../upstream/path.ts';
import { readInstant, readStringOrNull } from '../../upstream/record.ts';
import type { FraudAlert } from './fraud-alert-source.ts';

/** How the replica copies fraud alerts. */
export const fraudAlertCopy: CopiedList<FraudAlert> = {
  kind: 'frd',
  name: 'frauds',
  path: () => path`/frauds`,
  filters: (merchantId) => ({ 'filter[merchantId]': merchantId }),
  columns: (alert) => ({
    created: readInstant(alert, 'created'),
    amount: null,
    labels: [`transaction:${readStringOrNull(alert, 'transactionId')}`],
    words: [],
  }),
  facts: (alert, before) =>
    before !== undefined
      ? []
      : [
          {
            kind: 'FRAUD_ALERT_RECEIVED',
            subject: alert.id,
            happened: readInstant(alert, 'created'),
            transaction: readStringOrNull(alert, 'transactionId'),
            item: { kind: 'frd', id: alert.id },
            entry: null,
          },
        ],
};
