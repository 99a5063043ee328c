import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RequestLogEntry } from '../../src/sandbox/http/server.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { type RestCaller, rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { fieldsOf, json, newApp, openShop, type Shop } from './shop.ts';

const MAX_BODY = 64 * 1024;
const MAX_REQUEST_LINE = 8 * 1024;
const ada = { name: 'Ada', email: 'ada@example.com', address: 'London' };

const log: RequestLogEntry[] = [];
let sandbox: Sandbox;
let users: RestCaller;
let shop: Shop;
let transactions: string;

beforeAll(async () => {
  sandbox = await startTestSandbox({ log: (entry) => log.push(entry) });
  users = rest(sandbox.usersUrl);
  shop = await openShop(sandbox);
  transactions = `/merchants/${shop.id}/transactions`;
});
afterAll(() => sandbox.close());

describe('every response', () => {
  test('has the same security headers, and no headers for caches or other origins', async () => {
    for (const { headers } of [
      await users.get('/users'),
      await users.get('/nothing'),
      await shop.payments.get(`/merchants/${shop.id}`),
      await shop.payments.put(`/merchants/${shop.id}`, {}),
      await rest(sandbox.paymentsUrl).get('/me'),
    ]) {
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none'; frame-ancestors 'none'",
      );
      for (const name of [
        'etag',
        'set-cookie',
        'access-control-allow-origin',
        'content-encoding',
      ]) {
        expect(headers.get(name)).toBeNull();
      }
    }
  });

  test('has the content type of JSON if it has a body, otherwise none', async () => {
    const type = (response: { headers: Headers }) => response.headers.get('content-type');
    expect(type(await users.get('/users'))).toBe('application/json; charset=utf-8');
    expect(type(await users.get('/nothing'))).toBe('application/json; charset=utf-8');
    expect(type(await shop.payments.put(`/merchants/${shop.id}`, {}))).toBeNull();
  });

  test.each(['abc', 'A-b_c.9', 'x'.repeat(64)])(
    'returns the request id %s of the caller',
    async (id) => {
      const { headers } = await users.send('/users', { headers: { 'x-request-id': id } });
      expect(headers.get('x-request-id')).toBe(id);
    },
  );

  test.each(['x'.repeat(65), 'a b', 'a/b', 'ä'])(
    'replaces the invalid request id %s',
    async (id) => {
      const { headers } = await users.send('/users', { headers: { 'x-request-id': id } });
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);
    },
  );

  test('is JSON for any Accept header', async () => {
    const { status } = await users.send('/users', { headers: { accept: 'text/html' } });
    expect(status).toBe(200);
  });
});

describe('paths and methods', () => {
  test('a trailing slash is ignored, but upper case is not', async () => {
    expect((await users.get('/users/')).text).toBe((await users.get('/users')).text);
    expect((await users.get('/Users')).status).toBe(404);
    expect((await shop.payments.get('/me/')).status).toBe(200);
  });

  test('path segments are percent-decoded once', async () => {
    const { id } = (await users.post('/users', ada)).body;
    const encoded = `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`;
    expect((await users.get(`/users/${encoded}`)).status).toBe(200);
    expect((await users.get(`/users/${encoded.replace('%', '%25')}`)).status).toBe(404);
    expect((await users.get('/users/%zz')).status).toBe(404);
    expect((await users.get(`/users/${id}%2Fx`)).status).toBe(404);
  });

  test('HEAD returns the same headers as GET, without the body', async () => {
    const got = await users.get('/users');
    const { status, text, headers } = await users.send('/users', { method: 'HEAD' });
    expect([status, text]).toEqual([200, '']);
    expect(headers.get('content-length')).toBe(String(Buffer.byteLength(got.text)));
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect((await users.send('/users/x', { method: 'HEAD' })).status).toBe(404);
  });

  test.each([
    ['DELETE', '/users', 'GET, POST'],
    ['OPTIONS', '/users/x', 'GET, PUT, PATCH, DELETE'],
    ['POST', '/users/x', 'GET, PUT, PATCH, DELETE'],
  ])('%s %s fails with 405 and lists the allowed methods', async (method, path, allow) => {
    const { status, headers, body } = await users.send(path, { method });
    expect(status).toBe(405);
    expect(headers.get('allow')).toBe(allow);
    expect(body).toEqual({ message: expect.any(String) });
  });

  test.each([1, 10_000, 40_000])(
    'a request line of 8 KiB plus %i bytes fails with 414',
    async (over) => {
      const rest = MAX_REQUEST_LINE - 'GET /users?x= HTTP/1.1'.length;
      expect((await users.get(`/users?x=${'x'.repeat(rest)}`)).status).toBe(200);
      const { status, headers, body } = await users.get(`/users?x=${'x'.repeat(rest + over)}`);
      expect(status).toBe(414);
      expect(headers.get('connection')).toBe('close');
      expect(body).toEqual({ message: expect.any(String) });
    },
  );
});

describe('the order of checks', () => {
  const huge = () => json('x'.repeat(MAX_BODY + 1), 'text/plain');

  test('path and method are checked before the key', async () => {
    const withoutKey = rest(sandbox.paymentsUrl);
    expect((await withoutKey.get('/nothing')).status).toBe(404);
    expect((await withoutKey.delete('/me')).status).toBe(405);
    expect((await withoutKey.delete(`/transactions/${'x'.repeat(300)}`)).status).toBe(405);
  });

  test('the key is checked before the record', async () => {
    const withoutKey = rest(sandbox.paymentsUrl);
    for (const id of ['nonsense', '%00', 'x'.repeat(300)]) {
      expect((await withoutKey.get(`/merchants/${id}`)).status).toBe(401);
      expect((await withoutKey.send(`/transactions/${id}/captures`, huge())).status).toBe(401);
    }
  });

  test('the record is checked before access, body and parameters', async () => {
    expect((await shop.payments.send('/transactions/nonsense/captures', huge())).status).toBe(404);
    expect((await shop.payments.get('/merchants/nonsense/lines?limit=x')).status).toBe(404);
    expect((await users.send('/users/nonsense', { ...huge(), method: 'PUT' })).status).toBe(404);
  });

  test('access is checked before body and parameters', async () => {
    const stranger = await newApp(sandbox);
    expect((await stranger.send(transactions, huge())).status).toBe(403);
    expect((await stranger.get(`${transactions}?limit=x`)).status).toBe(403);
  });

  test('the body is checked for its size, its type and its syntax, in this order', async () => {
    expect((await users.send('/users', huge())).status).toBe(413);
    expect((await users.send('/users', json('{"name":', 'text/plain'))).status).toBe(415);
    expect(fieldsOf((await users.send('/users', json('{"name":'))).body)).toEqual(['body']);
  });
});

test('a repeated request is applied again, even with the same idempotency key', async () => {
  const { id } = await shop.charge(1000);
  for (const captured of [300, 600]) {
    const { body } = await shop.payments.send(`/transactions/${id}/captures`, {
      method: 'POST',
      body: '{"amount":300}',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'same' },
    });
    expect(body.transaction.capturedAmount).toBe(captured);
  }
});

test('the log contains the pattern of a path, but nothing that was sent', async () => {
  log.length = 0;
  const key = sandbox.demoApp.key;
  const { id } = (await users.post('/users?secret=1', ada)).body;
  await users.send(`/users/${id}`, { method: 'HEAD' });
  await shop.payments.get(`/${key}?key=${key}`);
  await rest(sandbox.paymentsUrl, 'wrong-key').get(`/merchants/${shop.id}/lines?limit=1`);
  expect(log.map(({ at, durationMs, requestId, ...entry }) => entry)).toEqual([
    { service: 'users', method: 'POST', path: '/users', ids: [], status: 201 },
    { service: 'users', method: 'HEAD', path: '/users/:id', ids: [id], status: 200 },
    { service: 'payments', method: 'GET', path: '-', ids: [], status: 404 },
    {
      service: 'payments',
      method: 'GET',
      path: '/merchants/:id/lines',
      ids: [shop.id],
      status: 401,
    },
  ]);
  for (const secret of [key, 'wrong-key', ada.email, 'secret']) {
    expect(JSON.stringify(log)).not.toContain(secret);
  }
});
