import type { Path } from './path.ts';
import { openExactList, openList, type RestRecord, toRecord } from './record.ts';
import type { Query, RestClient } from './rest-client.ts';
import { badResponse } from './rest-error.ts';

/**
 * Which part of a list to fetch, in the terms of the payments service. Lists are newest
 * first: `before` returns older items, `after` returns newer items, oldest of them first.
 * Set one of the two at most. Specification: payments, "Pagination".
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
   * Whether a response that contains anything but records is an error, so that an item that is
   * missing in the result certainly was not sent.
   */
  readonly exact?: boolean;
}

/** Calls for one list field. Only a service that ignores a filter needs this many. */
const MAX_CALLS = 20;

/**
 * Fetches a part of a list. A service may lower `limit` without notice, so one call asks
 * for `client.pageMax` items at most, and further calls fetch the rest.
 */
export async function fetchList<R extends RestRecord>(
  client: RestClient,
  path: Path,
  request: ListRequest,
  { name, filters = {}, keep = () => true, exact = false }: ListOptions<R>,
): Promise<readonly R[]> {
  const direction = request.after === undefined ? 'before' : 'after';
  const kept: R[] = [];
  let cursor = request[direction];
  for (let calls = 0; kept.length < request.limit; calls++) {
    if (calls === MAX_CALLS) throw badResponse(client.service, 'GET');
    const limit = Math.min(client.pageMax, request.limit - kept.length);
    const response = await client.get(path, { limit, [direction]: cursor, ...filters });
    const elements = (exact ? openExactList : openList)(response, name);
    if (elements === undefined) throw badResponse(client.service, 'GET');
    const records = toRecords<R>(elements).filter(({ id }) => id !== cursor);
    kept.push(...records.filter(keep));
    const last = records.at(-1);
    if (elements.length < limit || last === undefined) break;
    cursor = last.id;
  }
  return kept;
}

/** Fetches a list that the service returns in one response, without pagination. */
export async function fetchUnpagedList<R extends RestRecord>(
  client: RestClient,
  path: Path,
  name: string,
): Promise<readonly R[]> {
  const elements = openList(await client.get(path), name);
  if (elements === undefined) throw badResponse(client.service, 'GET');
  return toRecords(elements);
}

function toRecords<R extends RestRecord>(elements: readonly unknown[]): R[] {
  return elements.map((element) => toRecord<R>(element)).filter((record) => record !== undefined);
}
