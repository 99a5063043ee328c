import DataLoader from 'dataloader';
import type { Path } from './path.ts';
import { isObject, openRecord, type RestRecord } from './record.ts';
import type { RestClient } from './rest-client.ts';
import { RestError, type ServiceName, ShapeError } from './rest-error.ts';

/** Fetches some records at once: one result for each id, `null` for what does not exist. */
export type FetchMany<R> = (ids: readonly string[]) => Promise<(R | null | Error)[]>;

/** The records of one noun, each fetched once a request. */
export interface ById<R extends RestRecord> {
  /** `null` for what does not exist. */
  load(id: string): Promise<R | null>;
  /** Remembers the records of a list, so that nobody fetches them again. Answers them. */
  seed(listed: readonly R[]): readonly R[];
  /** Forgets a record that a write has changed. */
  forget(id: string): void;
  /**
   * Converts fields of a record. A list may show less than the record itself: when a
   * promised field is missing there, the record is fetched and read in its place.
   */
  read<T>(record: R, convert: (record: R) => T): T | Promise<T>;
}

/** Remembers records for the length of a request. */
export function loadById<R extends RestRecord>(
  service: ServiceName,
  fetchMany: FetchMany<R>,
): ById<R> {
  const loader = new DataLoader<string, R | null>(fetchMany);
  const listed = new WeakMap<R, Promise<R | null> | undefined>();

  function convertNow<T>(record: R, convert: (record: R) => T): T {
    try {
      return convert(record);
    } catch (error) {
      if (error instanceof ShapeError) error.service = service;
      throw error;
    }
  }

  async function convertWhole<T>(record: R, convert: (record: R) => T): Promise<T> {
    const whole = listed.get(record) ?? loader.clear(record.id).load(record.id);
    listed.set(record, whole);
    return convertNow((await whole) ?? record, convert);
  }

  return {
    load: (id) => loader.load(id),
    seed: (records) => {
      for (const record of records) {
        listed.set(record, undefined);
        loader.prime(record.id, record);
      }
      return records;
    },
    forget: (id) => {
      loader.clear(id);
    },
    read: (record, convert) => {
      try {
        return convertNow(record, convert);
      } catch (error) {
        if (error instanceof ShapeError && error.missing && listed.has(record)) {
          return convertWhole(record, convert);
        }
        throw error;
      }
    },
  };
}

/** Fetches each id on its own: for services that know no other way. */
export function oneByOne<R>(fetch: (id: string) => Promise<R | null>): FetchMany<R> {
  const settled = async (id: string) => fetch(id);
  return (ids) => Promise.all(ids.map((id) => settled(id).catch((error: Error) => error)));
}

/**
 * Fetches a single record. What does not exist is `null`, not a failure; services say so
 * with 404 or 410, and some with an empty object.
 */
export async function fetchRecord<R extends RestRecord>(
  client: RestClient,
  path: Path,
  name: string,
): Promise<R | null> {
  let answer: unknown;
  try {
    answer = await client.get(path);
  } catch (error) {
    if (error instanceof RestError && error.notFound) return null;
    throw error;
  }
  if (answer === null || (isObject(answer) && Object.keys(answer).length === 0)) return null;
  const record = openRecord<R>(answer, name);
  if (record === undefined) throw new RestError(client.service, 'GET', 'bad-response');
  return record;
}
