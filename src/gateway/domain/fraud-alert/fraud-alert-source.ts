import { fetchRecord } from '../../upstream/fetch-record.ts';
import { fetchList, type ListRequest } from '../../upstream/list.ts';
import { loadOneByOne } from '../../upstream/load-by-id.ts';
import { path } from '../../upstream/path.ts';
import type { RestRecord } from '../../upstream/record.ts';
import type { RestClient } from '../../upstream/rest-client.ts';

declare module '../../schema/context.ts' {
  interface Context {
    readonly fraudAlerts: FraudAlertSource;
  }
}

/** A fraud alert as the service sends it. Specification: payments, "Fraud alert". */
export type FraudAlert = RestRecord<
  'merchantId' | 'transactionId' | 'created' | 'reported' | 'reason'
>;

/** The fraud alerts of one request. */
export function createFraudAlertSource(payments: RestClient) {
  const byId = loadOneByOne<FraudAlert>('payments', (id) =>
    fetchRecord<FraudAlert>(payments, path`/frauds/${id}`, 'fraud'),
  );

  return {
    load: byId.load,
    adopt: byId.adopt,
    read: byId.read,
    list: async (merchantId: string, transactionId: string | undefined, request: ListRequest) =>
      byId.seed(
        await fetchList<FraudAlert>(payments, path`/frauds`, request, {
          name: 'frauds',
          filters: { 'filter[merchantId]': merchantId, 'filter[transactionId]': transactionId },
          keep: (alert) => transactionId === undefined || alert.transactionId === transactionId,
        }),
      ),
  };
}

/** The fraud alerts of one request. */
export type FraudAlertSource = ReturnType<typeof createFraudAlertSource>;
