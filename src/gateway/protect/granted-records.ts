import { ID_PATTERN, type Path, path } from '../rest/path.ts';
import { isAbsent, openRecord, type RestRecord } from '../rest/record.ts';
import type { RestClient } from '../rest/rest-client.ts';
import { badResponse, notFound, RestError } from '../rest/rest-error.ts';

/** A record that names the merchant it belongs to. */
export type MerchantRecord = RestRecord<'merchantId'>;

/** Reads records by id for a caller with access to some merchants. */
export interface GrantedRecords {
  /** Reads a record. Throws as if it did not exist if it belongs to another merchant. */
  read(path: Path, name: string): Promise<unknown>;
  /** Whether the record exists for the caller. It is read once in a request. */
  has(name: 'transaction' | 'card', id: unknown): Promise<boolean>;
  /** Notes a record that was read in another way, and belongs to such a merchant. */
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
    // An intermediary can confuse two responses.
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
