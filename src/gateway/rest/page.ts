import type { Path } from './path.ts';
import { identified, openList, type RestRecord } from './record.ts';
import type { Query, RestClient } from './rest-client.ts';
import { RestError } from './rest-error.ts';

/**
 * A stretch of a list that is newest first, in the payments service's own words:
 * `before` goes on to older items, `after` to newer ones, oldest of them first.
 * Never both. Specification: payments, "Pagination".
 */
export interface ListRequest {
  readonly limit: number;
  readonly before?: string;
  readonly after?: string;
}

/** How a list is fetched besides its page. */
export interface ListOptions<R> {
  /** Plural name under which a service may wrap the list. */
  readonly name: string;
  /** Filters to send; a service may ignore them, so `keep` says the same again. */
  readonly filters?: Query;
  readonly keep?: (record: R) => boolean;
  /** The most that is asked for in one call. */
  readonly pageMax: number;
}

/** Calls for one list field; met only by a service that ignores a filter. */
const MAX_CALLS = 20;

/**
 * Fetches a stretch of a list. A service may cut `limit` silently, so no more than
 * `pageMax` is asked for at once, and more comes in further calls.
 */
export async function fetchList<R extends RestRecord>(
  client: RestClient,
  path: Path,
  request: ListRequest,
  { name, filters = {}, keep = () => true, pageMax }: ListOptions<R>,
): Promise<readonly R[]> {
  const direction = request.after === undefined ? 'before' : 'after';
  const kept: R[] = [];
  let cursor = request[direction];
  for (let calls = 0; kept.length < request.limit; calls++) {
    if (calls === MAX_CALLS) throw new RestError(client.service, 'GET', 'bad-response');
    const limit = Math.min(pageMax, request.limit - kept.length);
    const answer = await client.get(path, { limit, [direction]: cursor, ...filters });
    const elements = openList(answer, name);
    if (elements === undefined) throw new RestError(client.service, 'GET', 'bad-response');
    const records = elements
      .map((element) => identified<R>(element))
      .filter((record) => record !== undefined && record.id !== cursor) as R[];
    kept.push(...records.filter(keep));
    const last = records.at(-1);
    if (elements.length < limit || last === undefined) break;
    cursor = last.id;
  }
  return kept;
}
