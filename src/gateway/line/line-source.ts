import { loadById, oneByOne, orNull } from '../rest/load-by-id.ts';
import { fetchList, type ListRequest } from '../rest/page.ts';
import { path } from '../rest/path.ts';
import { openRecord, type RestRecord } from '../rest/record.ts';
import type { RestClient } from '../rest/rest-client.ts';
import { RestError } from '../rest/rest-error.ts';

/** A line as the service sends it. Specification: payments, "Line". */
export type Line = RestRecord<
  'merchantId' | 'test' | 'created' | 'balance' | 'fee' | 'description' | 'transactionId'
>;

/** The lines of one request. */
export function createLineSource(payments: RestClient, pageMax: number) {
  const byId = loadById<Line>(
    'payments',
    oneByOne(async (id) => {
      const answer = await orNull(payments.get(path`/lines/${id}`));
      if (answer === null) return null;
      const line = openRecord<Line>(answer, 'line');
      if (line === undefined) throw new RestError('payments', 'GET', 'bad-response');
      return line;
    }),
  );

  return {
    load: byId.load,
    read: byId.read,
    list: async (merchantId: string, request: ListRequest) =>
      byId.seed(
        await fetchList<Line>(payments, path`/merchants/${merchantId}/lines`, request, {
          name: 'lines',
          pageMax,
        }),
      ),
  };
}

/** The lines of one request. */
export type LineSource = ReturnType<typeof createLineSource>;
