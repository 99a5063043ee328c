import { request } from 'node:http';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createControl } from '../../src/sandbox/testing/control-client.ts';
import { rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>;
let controlUrl: string;
beforeAll(async () => {
  sandbox = await startTestSandbox({ controlPort: 0 });
  controlUrl = sandbox.controlUrl ?? '';
});
afterAll(() => sandbox.close());

/** Sends a request with any headers, also those that `fetch` does not allow. */
function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  body = '',
  url: string = controlUrl,
) {
  return new Promise<number>((resolve, reject) => {
    const sent = request(url + path, { method, headers, agent: false }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.once('error', reject);
    sent.end(body);
  });
}
const json = { 'content-type': 'application/json' };

test('there is no control interface unless it is asked for', async () => {
  const plain = await startTestSandbox();
  expect(plain.controlUrl).toBeUndefined();
  await plain.close();
});

test.each([
  ['a page of another origin', { ...json, origin: 'https://evil.example' }, 403],
  ['a page without an origin', { ...json, origin: 'null' }, 403],
  ['a name that resolves to this machine', { ...json, host: 'evil.example' }, 403],
  ['a name that only begins like this machine', { ...json, host: 'localhost.evil.example' }, 403],
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
  ['text, which needs no permission of the browser', { 'content-type': 'text/plain' }, 415],
  ['no type', {}, 415],
  ['this machine by name', { ...json, host: 'localhost:1' }, 204],
])('a reset sent by %s has its status', async (_sender, headers, status) => {
  await rest(sandbox.usersUrl).post('/users', {
    name: 'Kept',
    email: 'k@example.com',
    address: '',
  });
  expect(await send('POST', '/reset', headers, '{"to":"empty"}')).toBe(status);
  const kept = (await rest(sandbox.usersUrl).get('/users')).body.length > 0;
  expect(kept).toBe(status !== 204);
});

test('an operation without fields needs no body and no content type', async () => {
  expect(await send('POST', '/clock/freeze', {}, '')).toBe(200);
  expect(await send('POST', '/clock/resume', {}, '')).toBe(200);
  expect(await send('POST', '/clock/freeze', { origin: 'https://evil.example' }, '')).toBe(403);
});

test('the OpenAPI document lists the statuses that an operation can have', async () => {
  const { paths } = (await rest(controlUrl).get('/openapi.json')).body;
  const statuses = (path: string, method: string) => Object.keys(paths[path][method].responses);
  expect(statuses('/clock', 'get')).toEqual(['200', '403', '405', '414']);
  expect(statuses('/requests', 'get')).toEqual(['200', '400', '403', '405', '414']);
  expect(statuses('/faults/{id}', 'delete')).toEqual(['204', '403', '404', '405', '414']);
  expect(statuses('/disputes/{id}/outcome', 'post')).toContain('409');
  expect(statuses('/inbox/{name}', 'get')).toEqual(['200', '400', '403', '405', '414']);
  expect(statuses('/inbox/{name}', 'post')).toEqual(['204', '400', '403', '405', '413', '414']);
  const put = ['200', '400', '403', '405', '413', '414', '415'];
  expect(statuses('/inbox/{name}', 'put')).toEqual(put);
  expect(statuses('/inbox/{name}', 'delete')).toEqual(['204', '400', '403', '405', '414']);
  expect(paths['/inbox/{name}'].post.requestBody).toEqual({
    required: false,
    content: { '*/*': {} },
  });
});

test('its own page may use it', async () => {
  expect(await send('GET', '/clock', { origin: controlUrl, host: new URL(controlUrl).host })).toBe(
    200,
  );
});

test('another host is accepted when it listens for other machines, but no page of another origin', async () => {
  const open = await startTestSandbox({ controlPort: 0, controlHost: '0.0.0.0' });
  try {
    const host = 'my-machine.example:2226';
    const clock = (headers: Record<string, string>) =>
      send('GET', '/clock', { host, ...headers }, '', open.controlUrl);
    expect(open.controlUrl).toMatch(/^http:\/\/127\.0\.0\.1:/);
    expect(await clock({})).toBe(200);
    expect(await clock({ origin: 'http://evil.example' })).toBe(403);
  } finally {
    await open.close();
  }
});

test('unknown paths, methods, ids and bodies have an error that says what is wrong', async () => {
  const control = rest(controlUrl);
  expect((await control.get('/nowhere')).status).toBe(404);
  expect((await control.put('/clock', {})).status).toBe(405);
  expect((await control.post('/clock/advance', { hours: 1 })).status).toBe(400);
  expect((await control.post('/disputes', { transactionId: 'f'.repeat(24) })).status).toBe(404);
  expect((await control.post('/disputes/x/outcome', { outcome: 'won' })).status).toBe(404);
  expect((await control.post('/reset', { to: { snapshot: 'none' } })).body).toEqual({
    message: 'There is no snapshot "none"',
  });
  expect((await control.post('/snapshots', { name: '#demo' })).status).toBe(400);
  expect((await control.get('/snapshots/%23demo')).status).toBe(404);
  expect((await control.delete('/snapshots/%23demo')).status).toBe(404);
  const big = { name: 'x'.repeat(70_000) };
  expect((await control.post('/snapshots', big)).status).toBe(413);
});

const snapshotName = 'Must have 1 to 64 letters, digits';

test.each([
  ['/faults', {}, 'kind', 'Must be one of "delay", "status", "drop"'],
  ['/faults', { kind: 'status' }, 'status', 'Missing'],
  ['/faults', { kind: 'status', status: '500' }, 'status', 'Must be a number'],
  ['/faults', { kind: 'status', status: 500.5 }, 'status', 'Must be an integer'],
  ['/faults', { kind: 'status', status: 99 }, 'status', 'Must be at least 200; it was 99'],
  ['/faults', { kind: 'drop', applied: 1 }, 'applied', 'Must be true or false'],
  ['/faults', { kind: 'drop', method: 'HEAD' }, 'method', 'Must be one of "GET", "POST"'],
  [
    '/faults',
    { kind: 'drop', route: '/'.repeat(201) },
    'route',
    'Must have at most 200 characters',
  ],
  ['/faults', { kind: 'drop', often: 1 }, 'often', 'Unknown field'],
  ['/clock/advance', { to: 'noon' }, 'to', 'Must be a date and time in ISO 8601, such as'],
  ['/payments', { link: 'here' }, 'link', 'Must be a URL'],
  ['/reset', { to: 'start' }, 'to', 'Must be one of "demo", "empty"'],
  ['/snapshots', { name: '' }, 'name', snapshotName],
  ['/scenes', { payments: 'all' }, 'payments', 'Must be a list'],
])('%s with %j says what %s must be', async (path, body, field, message) => {
  const response = await rest(controlUrl).post(path, body);
  expect(response.status).toBe(400);
  expect(response.body).toEqual([{ field, message: expect.stringContaining(message) }]);
});

test('its OpenAPI document is valid and describes every operation', async () => {
  const { body: document } = await rest(controlUrl).get('/openapi.json');
  const result = await new Validator().validate(document);
  expect(result.errors ?? []).toEqual([]);
  expect(document.servers).toEqual([{ url: controlUrl }]);
  const operations = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  // As many as the client has functions, besides the description of the sandbox itself. An inbox
  // is an object with its own functions.
  const { inbox: _, ...control } = createControl(controlUrl);
  const functions = Object.values(control).flatMap((value) =>
    typeof value === 'function' ? [value] : Object.values(value),
  );
  const ofInboxes = operations.filter((name) => name.includes('/inbox'));
  expect(operations.length - ofInboxes.length).toBe(functions.length + 1);
  expect(ofInboxes).toEqual([
    ...['GET /inbox', 'PUT /inbox/{name}', 'DELETE /inbox/{name}', 'POST /inbox/{name}'],
    'GET /inbox/{name}',
  ]);
  expect(JSON.stringify(document)).not.toContain('#/$defs');
});

test('the description of the sandbox has its addresses, its app and its merchants', async () => {
  await createControl(controlUrl).reset();
  const { usersUrl, paymentsUrl, posUrl, demoApp, operations } = sandbox;
  const { body } = await rest(controlUrl).get('/sandbox');
  expect(body).toMatchObject({ usersUrl, paymentsUrl, posUrl, demoApp, operations });
  expect(body.merchants.map(({ name }: { name: string }) => name)).toEqual([
    ...['Nordlys Kaffee', 'Havnens Bageri', 'Harbour Cycles'],
  ]);
});
