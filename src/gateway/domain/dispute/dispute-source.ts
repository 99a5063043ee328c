import { fetchRecord } from '../../upstream/fetch-record.ts';
import { fetchList, type ListRequest, openPages } from '../../upstream/list.ts';
import { loadOneByOne } from '../../upstream/load-by-id.ts';
import { path } from '../../upstream/path.ts';
import type { RestRecord } from '../../upstream/record.ts';
import type { RestClient } from '../../upstream/rest-client.ts';

declare module '../../schema/context.ts' {
  interface Context {
    readonly disputes: DisputeSource;
  }
}

/** A dispute as the service sends it. Specification: payments, "Dispute". */
export type Dispute = RestRecord<
  'merchantId' | 'transactionId' | 'created' | 'amount' | 'reason' | 'due'
>;

/** The disputes of one request. */
export function createDisputeSource(payments: RestClient) {
  const byId = loadOneByOne<Dispute>('payments', (id) =>
    fetchRecord<Dispute>(payments, path`/disputes/${id}`, 'dispute'),
  );

  return {
    load: byId.load,
    read: byId.read,
    loadFull: byId.loadFull,
    adopt: byId.adopt,
    /** The disputes of a merchant, one call at a time. The service may ignore `transactionId`. */
    paged: (merchantId: string, transactionId: string | undefined) => {
      const filters = { 'filter[merchantId]': merchantId, 'filter[transactionId]': transactionId };
      const options = { name: 'disputes', filters };
      return openPages<Dispute>(payments, path`/disputes`, options, byId.seed);
    },
    list: async (merchantId: string, transactionId: string | undefined, request: ListRequest) =>
      byId.seed(
        await fetchList<Dispute>(payments, path`/disputes`, request, {
          name: 'disputes',
          filters: { 'filter[merchantId]': merchantId, 'filter[transactionId]': transactionId },
          keep: (dispute) =>
            (dispute.merchantId ?? merchantId) === merchantId &&
            (transactionId === undefined || dispute.transactionId === transactionId),
        }),
      ),
  };
}

/** The disputes of one request. */
export type DisputeSource = ReturnType<typeof createDisputeSource>;
