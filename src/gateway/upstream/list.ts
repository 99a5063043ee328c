import type { Path } from './path.ts';
import { openExactList, openList, type RestRecord, toRecord } from './record.ts';
import type { Query, RestClient } from './rest-client.ts';
import type { ServiceName } from './rest-error.ts';

/**
 * Which part of a list to fetch, in the payments service's terms. Lists are newest first: `before`
 * returns older items, `after` returns newer items, oldest of them first. Set at most one of the
 * two. Specification: payments, "Pagination".
 */
export interface ListRequest {
  readonly limit: number;
  readonly before?: string;
  readonly after?: string;
}

/** How to fetch a list. */
export interface ListOptions<R> {
  /** Plural name under which a service may wrap the list. */
  readonly name: string;
  /** Filters to send. A service may ignore them, so `keep` must apply the same filter. */
  readonly filters?: Query;
  readonly keep?: (record: R) => boolean;
  /**
   * Whether a response that contains anything but records is an error, so that an item missing from
   * the result certainly was not sent.
   */
  readonly exact?: boolean;
}

/** Maximum calls for one list field. Only a service that ignores a filter needs this many. */
const MAX_CALLS = 20;

/**
 * Fetches a part of a list. A service may silently lower `limit`, so each call requests at most
 * `client.pageMax` items, and further calls fetch the rest.
 */
export async function fetchList<R extends RestRecord>(
  client: RestClient,
  path: Path,
  request: ListRequest,
  options: ListOptions<R>,
): Promise<readonly R[]> {
  const { keep } = options;
  const direction = request.after === undefined ? 'before' : 'after';
  let kept: readonly R[] = [];
  let cursor = request[direction];
  for (let calls = 0; kept.length < request.limit; calls++) {
    if (calls === MAX_CALLS) {
      const cause = `a list needs more than ${MAX_CALLS} calls, because the service ignores a filter`;
      throw client.unusable('GET', path, cause);
    }
    const limit = Math.min(client.pageMax, request.limit - kept.length);
    const next = { limit, [direction]: cursor };
    const { records, isLast } = await fetchPage<R>(client, path, next, options);
    const fit = keep === undefined ? records : records.filter(keep);
    kept = kept.length === 0 ? fit : kept.concat(fit);
    const last = records.at(-1);
    if (isLast || last === undefined) break;
    cursor = last.id;
  }
  return kept;
}

/** What one call for a list returned. */
export interface ListPage<R> {
  readonly records: readonly R[];
  /** Number of elements that are not records. */
  readonly invalid: number;
  /** Whether the list has no more items in this direction. */
  readonly isLast: boolean;
}

const NO_LIST = 'the response is not a list';
const NO_RECORDS = 'the items of the list are not records';

/** Fetches a part of a list with one call. `limit` is at most `client.pageMax`. */
async function fetchPage<R extends RestRecord>(
  client: RestClient,
  path: Path,
  { limit, before, after }: ListRequest,
  { name, filters, exact = false }: Omit<ListOptions<R>, 'keep'>,
): Promise<ListPage<R>> {
  const response = await client.get(path, { limit, before, after, ...filters });
  const elements = (exact ? openExactList : openList)(response, name);
  if (elements === undefined) throw client.unusable('GET', path, NO_LIST);
  const isLast = elements.length < limit;
  return { ...readPage<R>(client, path, elements, after ?? before), isLast };
}

/**
 * The records of a page without the one at the cursor, and the number of elements that are not
 * records. Throws if none is a record.
 */
function readPage<R extends RestRecord>(
  client: RestClient,
  path: Path,
  elements: readonly unknown[],
  cursor?: string,
) {
  const records: R[] = [];
  let invalid = 0;
  for (const element of elements) {
    const record = toRecord<R>(element);
    if (record === undefined) invalid++;
    else if (record.id !== cursor) records.push(record);
  }
  if (invalid > 0 && invalid === elements.length) throw client.unusable('GET', path, NO_RECORDS);
  if (invalid > 0) client.skip(path, invalid);
  return { records, invalid };
}

/** A list that is read one call at a time. */
export interface Pages<R> {
  readonly service: ServiceName;
  /** Maximum items per call. */
  readonly pageMax: number;
  fetch(request: ListRequest): Promise<ListPage<R>>;
}

/**
 * Opens a list that is read one call at a time.
 *
 * @param learn called with the records of each call
 */
export function openPages<R extends RestRecord>(
  client: RestClient,
  path: Path,
  options: Pick<ListOptions<R>, 'name' | 'filters'>,
  learn: (records: readonly R[]) => void,
): Pages<R> {
  return {
    service: client.service,
    pageMax: client.pageMax,
    fetch: async (request) => {
      const page = await fetchPage<R>(client, path, request, options);
      learn(page.records);
      return page;
    },
  };
}

/** Fetches a list that the service returns in one response, without pagination. */
export async function fetchUnpagedList<R extends RestRecord>(
  client: RestClient,
  path: Path,
  name: string,
): Promise<readonly R[]> {
  const elements = openList(await client.get(path), name);
  if (elements === undefined) throw client.unusable('GET', path, NO_LIST);
  return readPage<R>(client, path, elements).records;
}
