import { fetchOwnRecord } from '../rest/fetch-record.ts';
import { path } from '../rest/path.ts';
import { type RestRecord, readFlag } from '../rest/record.ts';
import type { Query, RestClient } from '../rest/rest-client.ts';

/** Merchants that are read at the same time, at most. */
const MAX_AT_ONCE = 50;

/**
 * The list of merchants, by the rules of the service's own lists, for a caller with access to
 * some of them. The service would list all merchants of the gateway's app. The order is that of
 * the claim.
 */
export async function listGranted(
  service: RestClient,
  merchants: ReadonlySet<string>,
  { limit, before, after, 'filter[test]': test }: Query = {},
): Promise<readonly RestRecord[]> {
  const rest = continueAfter([...merchants], before, after);
  const found: RestRecord[] = [];
  let count = Number(limit);
  // Merchants that do not exist must not make a page short: that is the end of the list.
  while (found.length < Number(limit) && rest.length > 0) {
    const some = rest.splice(0, Math.min(count, MAX_AT_ONCE));
    const records = await Promise.all(
      some.map((id) => fetchOwnRecord<Listed>(service, id, path`/merchants/${id}`, 'merchant')),
    );
    const existing = records.filter((record) => record !== null);
    found.push(
      ...existing.filter(
        (record) => test === undefined || readFlag(record, 'test') === (test === 'y'),
      ),
    );
    count *= 2;
  }
  return found.slice(0, Number(limit));
}

type Listed = RestRecord<'test'>;

/** The ids that follow a cursor. After one that is not in the list, there is nothing. */
function continueAfter(ids: string[], before: Query[string], after: Query[string]): string[] {
  const cursor = before ?? after;
  const index = ids.indexOf(String(cursor));
  if (cursor === undefined) return ids;
  if (index === -1) return [];
  return before === undefined ? ids.slice(0, index).reverse() : ids.slice(index + 1);
}
