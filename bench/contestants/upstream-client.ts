import { Pool } from 'undici';

/** A failed call to the upstream. */
export class UpstreamError extends Error {}

/** As many as the gateway under test may use for one key. */
const CONNECTIONS = 64;

const upstream = process.env.UPSTREAM_URL ?? '';
const pool = new Pool(upstream, { connections: CONNECTIONS });
/** With `WRITES_KEEP_ALIVE=off`, every write has a connection of its own, as in the gateway. */
const writes =
  process.env.WRITES_KEEP_ALIVE === 'off'
    ? new Pool(upstream, { connections: CONNECTIONS, pipelining: 0 })
    : pool;

/** Sends a read with the caller's credential. */
export async function get<T>(path: string, authorization: string): Promise<T> {
  const { statusCode, body } = await pool.request({
    method: 'GET',
    path,
    headers: { accept: 'application/json', authorization },
  });
  if (statusCode === 200) return (await body.json()) as T;
  await body.dump();
  throw new UpstreamError(`GET ${path}: ${statusCode}`);
}

/** Sends a write with the caller's credential. */
export async function post<T>(
  path: string,
  authorization: string,
  idempotencyKey: string,
  content: object,
): Promise<T> {
  const { statusCode, body } = await writes.request({
    method: 'POST',
    path,
    headers: {
      ...{ accept: 'application/json', 'content-type': 'application/json', authorization },
      'idempotency-key': idempotencyKey,
    },
    body: JSON.stringify(content),
  });
  if (statusCode === 201) return (await body.json()) as T;
  await body.dump();
  throw new UpstreamError(`POST ${path}: ${statusCode}`);
}
