import { type IncomingMessage, request } from 'node:http';
import { expect, test } from 'vitest';
import { createClient, openServices } from './support/gateway-programs.ts';
import { type Hostile, hostileRequests } from './support/hostile-requests.ts';

const HEAP_MB = 256;
const AT_ONCE = 4;
const MAX_RESPONSE_BYTES = 8 * 1_024 ** 2;
const ANSWER_WITHIN_MS = 1_000;

/** Transactions that no key may read. */
const rejected = Object.fromEntries(
  Array.from({ length: 1_000 }, (_, at) => [`GET /transactions/t${at}`, { status: 401 }]),
);

/** What came back: nothing if the gateway closed the connection while the body was sent. */
type Received = { readonly status: number; readonly text: string } | undefined;

async function readAnswer(response: IncomingMessage): Promise<Received> {
  let text = '';
  try {
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
  } catch {
    return undefined;
  }
  return { status: response.statusCode ?? 0, text };
}

/** Sends a request on a connection of its own. */
function send(url: string, { path = '/graphql', headers, body }: Hostile, index: number) {
  return new Promise<Received>((resolve) => {
    const content = body?.(index);
    const sent = request(url + path, {
      agent: false,
      method: content === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', ...headers },
    });
    sent.on('response', (response) => resolve(readAnswer(response)));
    sent.on('error', () => resolve(undefined));
    sent.end(content);
  });
}

/** Sends all requests of a kind, some of them at once. */
async function sendAll(url: string, hostile: Hostile): Promise<void> {
  const { name, count, status, code } = hostile;
  let next = 0;
  const work = async () => {
    for (let index = next++; index < count; index = next++) {
      const received = await send(url, hostile, index);
      // A body that is too large is not read to its end.
      if (received === undefined && status === 413) continue;
      const { errors = [] } = JSON.parse(received?.text ?? '{}');
      const codes = errors.map((error: { extensions: { code: string } }) => error.extensions.code);
      expect([received?.status, ...new Set(codes)], name).toEqual(
        code === undefined ? [status] : [status, code],
      );
      expect(received?.text.length, name).toBeLessThan(MAX_RESPONSE_BYTES);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

test(`a gateway with a heap of ${HEAP_MB} MB rejects every hostile request and answers the next query`, async () => {
  const start = await openServices(rejected);
  const { url, stop } = await start({ NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` });
  const query = createClient(url);
  expect(await query()).toEqual({});
  for (const hostile of hostileRequests) {
    const startedAt = performance.now();
    await sendAll(url, hostile);
    const sentAt = performance.now();
    expect(await query(), hostile.name).toEqual({});
    const ms = performance.now() - sentAt;
    const each = (sentAt - startedAt) / hostile.count;
    console.info(`${hostile.name}: ${each.toFixed(1)} ms each; the next query ${ms.toFixed(1)} ms`);
    expect(ms, hostile.name).toBeLessThan(ANSWER_WITHIN_MS);
  }
  expect(await stop()).toMatchObject({ code: 0, stderr: '' });
});
