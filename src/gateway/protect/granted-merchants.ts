import { fetchRecord } from '../rest/fetch-record.ts';
import { path } from '../rest/path.ts';
import type { RestRecord } from '../rest/record.ts';
import type { Query, RestClient } from '../rest/rest-client.ts';

/**
 * The list of merchants, by the rules of the service's own lists, for a caller with access to
 * some of them. The service would list all merchants of the gateway's app. The order is that of
 * the claim.
 */
export async function listGranted(
  service: RestClient,
  merchants: ReadonlySet<string>,
  { limit, before, after }: Query = {},
): Promise<readonly RestRecord[]> {
  const ids = [...merchants];
  const start = before === undefined ? 0 : ids.indexOf(String(before)) + 1;
  const rest =
    after === undefined
      ? ids.slice(start)
      : ids.slice(0, Math.max(0, ids.indexOf(String(after)))).reverse();
  const found: RestRecord[] = [];
  // Merchants that the service does not know must not make a page short: that is its end.
  while (found.length < Number(limit) && rest.length > 0) {
    const some = rest.splice(0, Number(limit) - found.length);
    const records = await Promise.all(
      some.map((id) => fetchRecord<RestRecord>(service, path`/merchants/${id}`, 'merchant')),
    );
    found.push(...records.filter((record) => record !== null));
  }
  return found;
}
