import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readGraphiqlBundle } from '../../src/gateway/http/pages/graphiql/graphiql-bundle.ts';
import { startGateway } from '../support/start-stack.ts';

/** Nothing listens on this port: the page needs no service. */
const NOWHERE = 'http://127.0.0.1:9';
const HTML = { accept: 'text/html' };

let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  gateway = await startGateway({
    services: { usersUrl: NOWHERE, paymentsUrl: NOWHERE, posUrl: NOWHERE },
  });
});
afterAll(() => gateway.close());

/** The body as it was sent: unlike `fetch`, this does not decompress it. */
function get(path: string, headers: Record<string, string>) {
  return new Promise<{ encoding: string | undefined; vary: string | undefined; body: Buffer }>(
    (resolve, reject) => {
      request(`${gateway.url}${path}`, { headers }, async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        const { 'content-encoding': encoding, vary } = response.headers;
        resolve({ encoding, vary, body: Buffer.concat(chunks) });
      })
        .on('error', reject)
        .end();
    },
  );
}

async function files(): Promise<string[]> {
  const html = await (await fetch(`${gateway.url}/graphql`, { headers: HTML })).text();
  return [...new Set([...html.matchAll(/"(graphiql\/[^"]+)"/g)].map(([, path]) => `/${path}`))];
}

test('the page can load and run only files of the gateway', async () => {
  const { status, headers } = await fetch(`${gateway.url}/graphql`, { headers: HTML });
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-cache');
  const policy = headers.get('content-security-policy');
  expect(policy).toMatch(/^default-src 'none'; /);
  expect(policy).toContain("; script-src 'self'; worker-src 'self'; ");
  expect(policy).toContain("; frame-ancestors 'none'; ");
});

test('a browser can cache every file of the page permanently, and gets it compressed', async () => {
  const paths = await files();
  // Two style sheets, three scripts and three workers.
  expect(new Set(paths).size).toBe(8);
  for (const path of paths) {
    const { status, headers } = await fetch(`${gateway.url}${path}`);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const plain = await get(path, {});
    expect(plain.encoding).toBeUndefined();
    const compressed = await get(path, { 'accept-encoding': 'br, gzip' });
    expect(compressed).toMatchObject({ encoding: 'gzip', vary: 'accept, accept-encoding' });
    const refused = await get(path, { 'accept-encoding': 'br, gzip;q=0' });
    expect(refused.encoding).not.toBe('gzip');
    expect(gunzipSync(compressed.body).equals(plain.body)).toBe(true);
  }
});

test('the page has the same security headers as the diagram, except what its policy adds', async () => {
  const names = ['x-content-type-options', 'referrer-policy', 'cache-control', 'vary'];
  const [page, diagram] = await Promise.all(
    ['/graphql', '/schema'].map((path) => fetch(gateway.url + path, { headers: HTML })),
  );
  for (const name of names) {
    expect(page?.headers.get(name)).toBe(diagram?.headers.get(name));
    expect(page?.headers.get(name)).not.toBeNull();
  }
  const least = (diagram?.headers.get('content-security-policy') ?? '').split('; ');
  const policy = (page?.headers.get('content-security-policy') ?? '').split('; ');
  expect(policy).toEqual(
    expect.arrayContaining(least.filter((one) => !/^(style|img)-src/.test(one))),
  );
});

test('a first visit loads less than 2.6 MB, and a later one only the page', async () => {
  const sizes = await Promise.all(
    (await files()).map(
      async (path) => (await get(path, { 'accept-encoding': 'gzip' })).body.length,
    ),
  );
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(2_600_000);
  const { body } = await get('/graphql', { ...HTML, 'accept-encoding': 'gzip' });
  expect(body.length).toBeLessThan(12_000);
});

test('GraphiQL is served if its compressed files cannot be kept', async () => {
  const file = pathToFileURL(`${fileURLToPath(import.meta.url)}/`);
  expect((await readGraphiqlBundle(file)).script.resource.gzipped.length).toBeGreaterThan(
    1_000_000,
  );
});

test('clients that do not read the largest file are few, so that they take little memory', async () => {
  const sizes = new Map<string, number>();
  for (const path of await files()) sizes.set(path, (await get(path, {})).body.length);
  const [[largest] = ['']] = [...sizes].sort(([, one], [, other]) => other - one);
  // Since Node 22, a socket reads four times as much, and the rest fits into the operating system.
  const options = { agent: false, highWaterMark: 1_024 } as const;
  const responses: IncomingMessage[] = [];
  for (let count = 0; count < 65; count++) {
    const sent = request(gateway.url + largest, options).end();
    const [response] = await once(sent, 'response');
    responses.push(response);
  }
  const statuses = responses.map(({ statusCode }) => statusCode);
  expect(statuses).toEqual([...Array(64).fill(200), 503]);
  for (const response of responses) response.destroy();
  const status = async () => (await fetch(gateway.url + largest, { method: 'HEAD' })).status;
  await expect.poll(status).toBe(200);
});

test('a browser that opens the address of a gateway without a status page finds the page', async () => {
  const services = { usersUrl: NOWHERE, paymentsUrl: NOWHERE, posUrl: NOWHERE };
  const other = await startGateway({ services, statusPage: false });
  const { status, url } = await fetch(other.url, { headers: HTML });
  expect({ status, url }).toEqual({ status: 200, url: `${other.url}/graphql` });
  await other.close();
});

test.each(['application/json', '*/*', 'application/json, text/html;q=0.5', 'text/html;q=0, */*'])(
  'a client that prefers other types to HTML gets no page: %s',
  async (accept) => {
    for (const path of ['/graphql', '/']) {
      const response = await fetch(`${gateway.url}${path}`, { headers: { accept } });
      expect(response.headers.get('content-type')).toMatch(/json/);
    }
  },
);

test('a file that does not exist is not found', async () => {
  expect((await fetch(`${gateway.url}/graphiql/0123456789abcdef.js`)).status).toBe(404);
});
