import { afterAll, beforeAll, expect, test } from 'vitest';
import { schema } from '../../src/gateway/schema.ts';
import { startGateway } from '../support/start-stack.ts';

/** Nothing listens on this port: the HTML page needs no service. */
const NOWHERE = 'http://127.0.0.1:9';

let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  gateway = await startGateway({
    services: { usersUrl: NOWHERE, paymentsUrl: NOWHERE, posUrl: NOWHERE },
  });
});
afterAll(() => gateway.close());

function ask(path: string, method = 'GET') {
  return fetch(`${gateway.url}${path}`, { method });
}

/** The paths of the files that the HTML page loads, in their order. */
async function assets(): Promise<string[]> {
  const html = await (await ask('/schema')).text();
  return [...html.matchAll(/(?:src|href)="(schema\/[^"]+)"/g)].map(([, path]) => `/${path}`);
}

test('the HTML page is not cached, and can load and run only files of the gateway', async () => {
  const response = await ask('/schema');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-cache');
  expect(response.headers.get('content-security-policy')?.split('; ').sort()).toEqual([
    "base-uri 'none'",
    "default-src 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    'img-src data:',
    "script-src 'self'",
    "style-src 'self'",
  ]);
  expect(await response.text()).toContain('<title>Tillgraph: the schema as a diagram</title>');
});

test('the gateway serves a style sheet and a script, which a browser can cache permanently', async () => {
  const paths = await assets();
  expect(paths.map((path) => path.split('.').at(-1))).toEqual(['css', 'js']);
  for (const path of paths) {
    const { status, headers } = await ask(path);
    expect(status).toBe(200);
    const type = path.endsWith('.css') ? 'text/css' : 'text/javascript';
    expect(headers.get('content-type')).toBe(`${type}; charset=utf-8`);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
  }
});

test('the page contains every type of the schema once, and every link in it leads to one', async () => {
  const html = await (await ask('/schema')).text();
  const cards = [...html.matchAll(/<article id="(\w+)">/g)].map(([, name = '']) => name);
  const types = Object.keys(schema.getTypeMap()).filter((name) => !name.startsWith('__'));
  expect(cards.toSorted()).toEqual(types.toSorted());
  const links = [...html.matchAll(/href="#(\w+)"/g)].map(([, name = '']) => name);
  expect(links.length).toBeGreaterThan(types.length);
  expect(links.filter((name) => !cards.includes(name))).toEqual([]);
});

test('descriptions are text, not HTML', async () => {
  const html = await (await ask('/schema')).text();
  // Of BalanceReport.search.
  expect(html).toContain('<code>after: &lt;endCursor></code>');
});

test('HEAD returns the headers of GET without a body', async () => {
  for (const path of ['/schema', ...(await assets())]) {
    const head = await ask(path, 'HEAD');
    const get = await ask(path);
    expect(head.status).toBe(200);
    for (const name of ['content-type', 'content-length', 'cache-control']) {
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    }
    expect(await head.text()).toBe('');
    expect(await get.text()).not.toBe('');
  }
});

test.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('%s is not allowed', async (method) => {
  for (const path of ['/schema', ...(await assets())]) {
    const { status, headers } = await ask(path, method);
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe('GET, HEAD');
  }
});

test.each(['/schema/voyager.js', '/schema/..%2fpackage.json', '/schemas'])(
  '%s is not found',
  async (path) => {
    expect((await ask(path)).status).toBe(404);
    expect((await ask(path, 'HEAD')).status).toBe(404);
  },
);
