import { fetchOwnRecord } from '../upstream/fetch-record.ts';
import { ID_PATTERN, type Path, path } from '../upstream/path.ts';
import { isAbsent, openRecord, type RestRecord, readFlag } from '../upstream/record.ts';
import type { Query, RestClient } from '../upstream/rest-client.ts';
import { badResponse, notFound, RestError } from '../upstream/rest-error.ts';

/** Maximum merchants read at the same time. */
const MAX_AT_ONCE = 50;

/**
 * Lists the merchants that a caller has access to, by the rules of the service's own lists. The
 * service would list all merchants of the gateway's app. The order is that of the claim.
 */
export async function listGranted(
  service: RestClient,
  merchants: ReadonlySet<string>,
  { limit, before, after, 'filter[test]': test }: Query = {},
): Promise<readonly RestRecord[]> {
  const rest = continueAfter([...merchants], before, after);
  const found: RestRecord[] = [];
  let count = Number(limit);
  // Merchants that do not exist must not make a page short, because a short page ends the list.
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

/** The ids after a cursor; none if the cursor is not in the list. */
function continueAfter(ids: string[], before: Query[string], after: Query[string]): string[] {
  const cursor = before ?? after;
  const index = ids.indexOf(String(cursor));
  if (cursor === undefined) return ids;
  if (index === -1) return [];
  return before === undefined ? ids.slice(0, index).reverse() : ids.slice(index + 1);
}

/** A record that names the merchant it belongs to. */
export type MerchantRecord = RestRecord<'merchantId'>;

/** Reads records by id for a caller with access to some merchants. */
export interface GrantedRecords {
  /** Reads a record. If it belongs to another merchant, throws as if it did not exist. */
  read(path: Path, name: string): Promise<unknown>;
  /** Whether the record exists for the caller. Reads it once per request. */
  has(name: 'transaction' | 'card', id: unknown): Promise<boolean>;
  /** Notes a record of a granted merchant that was read in another way. */
  note(name: 'transaction' | 'card', id: string): void;
}

/** Creates the reader of one request. */
export function createGrantedRecords(
  service: RestClient,
  merchants: ReadonlySet<string>,
): GrantedRecords {
  /** Paths of the records that the caller may read. */
  const granted = new Set<Path>();
  const searches = new Map<Path, Promise<boolean>>();

  async function read(to: Path, name: string): Promise<unknown> {
    const response = await service.get(to);
    if (isAbsent(response)) return response;
    const { id, merchantId } = openRecord<MerchantRecord>(response, name) ?? {};
    if (typeof merchantId !== 'string') throw badResponse('payments', 'GET');
    if (!merchants.has(merchantId)) throw notFound('payments', 'GET');
    // An intermediary can mix up responses.
    if (id !== to.split('/')[2]) throw badResponse('payments', 'GET');
    granted.add(to);
    return response;
  }

  async function find(to: Path, name: string): Promise<boolean> {
    try {
      await read(to, name);
    } catch (error) {
      if (!(error instanceof RestError && error.notFound)) throw error;
    }
    return granted.has(to);
  }

  return {
    read,
    has: async (name, id) => {
      const to = paths[name](String(id));
      if (granted.has(to)) return true;
      const found = searches.get(to) ?? find(to, name);
      searches.set(to, found);
      return found;
    },
    note: (name, id) => {
      if (ID_PATTERN.test(id)) granted.add(paths[name](id));
    },
  };
}

const paths = {
  transaction: (id: string) => path`/transactions/${id}`,
  card: (id: string) => path`/cards/${id}`,
} as const;
