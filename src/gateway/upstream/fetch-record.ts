import type { Path } from './path.ts';
import { isAbsent, openRecord, type RestRecord } from './record.ts';
import type { RestClient } from './rest-client.ts';
import { RestError } from './rest-error.ts';

/**
 * Fetches a single record. `null` if it does not exist: services respond with 404 or
 * 410, and some with an empty object.
 */
export async function fetchRecord<R extends RestRecord>(
  client: RestClient,
  path: Path,
  name: string,
): Promise<R | null> {
  let response: unknown;
  try {
    response = await client.get(path);
  } catch (error) {
    if (error instanceof RestError && error.notFound) return null;
    throw error;
  }
  if (isAbsent(response)) return null;
  return openOrThrow(client, 'GET', path, response, name);
}

const ANOTHER = 'the response is a different record than the requested one';

/**
 * Fetches the record with an id. Throws if the response is another record, because an intermediary
 * can mix up responses.
 */
export async function fetchOwnRecord<R extends RestRecord>(
  client: RestClient,
  id: string,
  path: Path,
  name: string,
): Promise<R | null> {
  const record = await fetchRecord<R>(client, path, name);
  if (record !== null && record.id !== id) throw client.unusable('GET', path, ANOTHER);
  return record;
}

/** Fetches a single record that always exists, such as the calling app. */
export async function fetchExistingRecord<R extends RestRecord>(
  client: RestClient,
  path: Path,
  name: string,
): Promise<R> {
  return openOrThrow(client, 'GET', path, await client.get(path), name);
}

/** A record to create. */
export interface NewRecord {
  /** Singular name under which a service may wrap the record in its response. */
  readonly name: string;
  readonly body: object;
  /** Makes a failure before the request's headers were written certainly "not sent". */
  readonly idempotencyKey?: string;
  /** Whether the id may come from the `Location` header, for a service that sends no body. */
  readonly idFromLocation?: boolean;
}

/**
 * Creates a record with POST and returns the record in the response, which has an id and maybe
 * other fields. A response without an id is a bad response.
 */
export async function createRecord<R extends RestRecord>(
  client: RestClient,
  path: Path,
  { name, body, idempotencyKey, idFromLocation = false }: NewRecord,
): Promise<R> {
  const response = await client.send('POST', path, body, idempotencyKey);
  if (idFromLocation && openRecord(response.body, name) === undefined) {
    const id = new RegExp(`${path}/([^/?#]+)$`).exec(response.location ?? '')?.[1];
    return openOrThrow(client, 'POST', path, { id }, name);
  }
  return openOrThrow(client, 'POST', path, response.body, name);
}

function openOrThrow<R extends RestRecord>(
  client: RestClient,
  method: 'GET' | 'POST',
  path: Path,
  response: unknown,
  name: string,
): R {
  const record = openRecord<R>(response, name);
  if (record === undefined) throw client.unusable(method, path, 'the response has no record');
  return record;
}
