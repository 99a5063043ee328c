import { fetchRecord } from '../../upstream/fetch-record.ts';
import { fetchList, type ListRequest, openPages } from '../../upstream/list.ts';
import { loadOneByOne } from '../../upstream/load-by-id.ts';
import { path } from '../../upstream/path.ts';
import type { RestRecord } from '../../upstream/record.ts';
import type { RestClient } from '../../upstream/rest-client.ts';

declare module '../../schema/context.ts' {
  interface Context {
    readonly lines: LineSource;
  }
}

/** A line as the service sends it. Specification: payments, "Line". */
export type Line = RestRecord<
  | 'merchantId'
  | 'test'
  | 'created'
  | 'balance'
  | 'fee'
  | 'description'
  | 'transactionId'
  | 'capture'
  | 'refund'
  | 'dispute'
  | 'payout'
>;

/**
 * The lines of one request.
 *
 * @param fresh returns a client whose reads are not shared
 */
export function createLineSource(payments: RestClient, fresh: () => RestClient) {
  const byId = loadOneByOne<Line>('payments', (id) =>
    fetchRecord<Line>(payments, path`/lines/${id}`, 'line'),
  );

  return {
    load: byId.load,
    read: byId.read,
    loadFull: byId.loadFull,
    adopt: byId.adopt,
    /** The lines of a merchant, one call at a time. */
    paged: (merchantId: string) =>
      openPages<Line>(payments, path`/merchants/${merchantId}/lines`, { name: 'lines' }, byId.seed),
    /** The same, read from the service now. */
    pagedFresh: (merchantId: string) =>
      openPages<Line>(fresh(), path`/merchants/${merchantId}/lines`, { name: 'lines' }, byId.seed),
    list: async (merchantId: string, request: ListRequest) =>
      byId.seed(
        await fetchList<Line>(payments, path`/merchants/${merchantId}/lines`, request, {
          name: 'lines',
        }),
      ),
  };
}

/** The lines of one request. */
export type LineSource = ReturnType<typeof createLineSource>;
