import DataLoader from 'dataloader';
import type { RestRecord } from './record.ts';
import { type ServiceName, ShapeError } from './rest-error.ts';

/** Fetches several records: one result per id, `null` if a record does not exist. */
export type FetchMany<R> = (ids: readonly string[]) => Promise<(R | null | Error)[]>;

/** The records of one type. Each record is fetched once per GraphQL request. */
export interface ById<R extends RestRecord> {
  /** `null` if the record does not exist. */
  load(id: string): Promise<R | null>;
  /** Like `load`, but a record that is not loaded yet is fetched with the given function. */
  loadWith(id: string, fetch: (id: string) => Promise<R | null>): Promise<R | null>;
  /** The full record of a list item, which may have fewer fields. Fetched once. */
  loadFull(record: R): Promise<R>;
  /** Remembers the records of a list, so that they are not fetched again. Returns them. */
  seed(listed: readonly R[]): readonly R[];
  /**
   * Takes list items that may be older than what the service has: a record among them is fetched
   * when it is loaded by its id. Returns them.
   */
  adopt(copied: readonly R[]): readonly R[];
  /** Forgets a record that a write changed. */
  forget(id: string): void;
  /**
   * Converts fields of a record. List items may have fewer fields than the record itself: if a
   * promised field is missing, the full record is fetched and converted instead.
   */
  read<T>(record: R, convert: (record: R) => T): T | Promise<T>;
}

/** When a loader fetches the ids that it has collected. */
type Schedule = Pick<DataLoader.Options<string, unknown>, 'batchScheduleFn'>;

/** Remembers records during one GraphQL request. Many are fetched together. */
export function loadById<R extends RestRecord>(
  service: ServiceName,
  fetchMany: FetchMany<R>,
): ById<R> {
  return createById(service, fetchMany, {});
}

const resolved = Promise.resolve();

/** After the current microtask. The default is a turn of the event loop later. */
const SOON: Schedule = {
  batchScheduleFn: (dispatch) => void resolved.then(dispatch),
};

/** The same for a service that needs a separate call for each id. */
export function loadOneByOne<R extends RestRecord>(
  service: ServiceName,
  fetch: (id: string) => Promise<R | null>,
): ById<R> {
  return createById(service, oneByOne(fetch), SOON);
}

function createById<R extends RestRecord>(
  service: ServiceName,
  fetchMany: FetchMany<R>,
  schedule: Schedule,
): ById<R> {
  const cacheMap = new Map<string, Promise<R | null>>();
  let opened: DataLoader<string, R | null> | undefined;
  const lists: (readonly R[])[] = [];
  const copies: (readonly R[])[] = [];
  /** How many of the lists the loader knows. Most requests load nothing that they listed. */
  let known = 0;
  /** Full records of those in lists. */
  const full = new Map<R, Promise<R | null>>();

  /** Opens the loader and primes it with what was listed. Many requests only list. */
  function open(): DataLoader<string, R | null> {
    opened ??= new DataLoader(fetchMany, { cacheMap, ...schedule });
    for (; known < lists.length; known++) {
      for (const record of lists[known] ?? []) opened.prime(record.id, record);
    }
    return opened;
  }

  function load(id: string): Promise<R | null> {
    const loader = open();
    // The loader itself would return known records only together with its next batch.
    return cacheMap.get(id) ?? loader.load(id);
  }

  function convertNow<T>(record: R, convert: (record: R) => T): T {
    try {
      return convert(record);
    } catch (error) {
      if (error instanceof ShapeError) error.service = service;
      throw error;
    }
  }

  async function loadFull(record: R): Promise<R> {
    const loader = open();
    const loading = full.get(record) ?? loader.clear(record.id).load(record.id);
    full.set(record, loading);
    return (await loading) ?? record;
  }

  async function convertFull<T>(record: R, convert: (record: R) => T): Promise<T> {
    return convertNow(await loadFull(record), convert);
  }

  return {
    load,
    loadWith: (id, fetch) => {
      const loader = open();
      if (!cacheMap.has(id)) loader.prime(id, fetch(id));
      return load(id);
    },
    loadFull,
    seed: (records) => {
      lists.push(records);
      return records;
    },
    adopt: (records) => {
      copies.push(records);
      return records;
    },
    forget: (id) => {
      open().clear(id);
    },
    read: (record, convert) => {
      try {
        return convertNow(record, convert);
      } catch (error) {
        const isListed = () => [...lists, ...copies].some((records) => records.includes(record));
        if (error instanceof ShapeError && error.missing && isListed()) {
          return convertFull(record, convert);
        }
        throw error;
      }
    },
  };
}

/** Fetches each id with a separate call. */
export function oneByOne<R>(fetch: (id: string) => Promise<R | null>): FetchMany<R> {
  const fetchOne = async (id: string) => fetch(id);
  return (ids) => Promise.all(ids.map((id) => fetchOne(id).catch((error: Error) => error)));
}
