import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { type RestCaller, rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { type AnyRecord, fieldsOf, form, openShop, type Shop } from './shop.ts';

const MAX_BODY = 64 * 1024;
const ada = { name: 'Ada', email: 'ada@example.com', address: 'London' };

let sandbox: Sandbox;
let users: RestCaller;
let shop: Shop;
let transactions: string;

beforeAll(async () => {
  sandbox = await startTestSandbox();
  users = rest(sandbox.usersUrl);
  shop = await openShop(sandbox);
  transactions = `/merchants/${shop.id}/transactions`;
});
afterAll(() => sandbox.close());

const json = (body: BodyInit, type = 'application/json'): RequestInit => ({
  method: 'POST',
  body,
  headers: { 'content-type': type },
});

/** A form that pays from the demo's payment, with some more of it. */
const payment = (more: string) =>
  form(`transactionId=${shop.source}&currency=EUR&amount=100&${more}`);

async function customOf(id: string): Promise<AnyRecord> {
  return (await shop.payments.get(`/transactions/${id}`)).body.transaction.custom;
}

describe('JSON and types', () => {
  test.each([
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/vnd.api+json',
    'application/problem+json',
  ])('JSON may be called %s', async (type) => {
    expect((await users.send('/users', json(JSON.stringify(ada), type))).status).toBe(201);
  });

  test.each(['text/plain', 'text/json', 'application/xml', 'multipart/form-data', ''])(
    'the type "%s" is 415',
    async (type) => {
      const { status, body } = await users.send('/users', json(Buffer.from('{}'), type));
      expect(status).toBe(415);
      expect(body).toEqual({ message: expect.any(String) });
    },
  );

  test('without a body the type does not matter', async () => {
    const { status } = await shop.payments.send('/apps', json('', 'text/plain'));
    expect(status).toBe(201);
    const headers = { 'content-type': 'application/json' };
    expect((await users.send('/users', { headers })).status).toBe(200);
  });

  test('a body on GET or DELETE is ignored', async () => {
    const { id } = (await users.post('/users', ada)).body;
    for (const [method, status] of [
      ['GET', 200],
      ['DELETE', 204],
    ] as const) {
      const headers = { 'content-type': 'text/plain', 'content-length': 4 };
      const sent = request(`${users.url}/users/${id}`, { method, headers }).end('{"x"');
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      await text(answer);
      expect(answer.statusCode).toBe(status);
    }
  });

  test.each([
    ['no JSON', '{"name":'],
    ['a text', '"name"'],
    ['a number', '1'],
    ['null', 'null'],
    ['a list', '[{"name":"Ada"}]'],
    ['not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('%s is refused as a whole', async (_, body) => {
    const { status, body: faults } = await users.send('/users', json(body));
    expect(status).toBe(400);
    expect(fieldsOf(faults)).toEqual(['body']);
  });

  test('of a JSON key given twice the last counts', async () => {
    const body = JSON.stringify(ada).replace('{', '{"name":"Bo",');
    expect((await users.send('/users', json(body))).body.name).toBe('Ada');
  });

  test('JSON may have 20 levels, not counting brackets inside text', async () => {
    const nested = (levels: number): object =>
      levels === 1 ? { text: '[{"\\'.repeat(30) } : { inner: nested(levels - 1) };
    const custom = nested(19);
    expect((await shop.charge(1, { custom })).custom).toEqual(custom);
    const { status, body } = await shop.payments.post(transactions, { custom: nested(20) });
    expect(status).toBe(400);
    expect(fieldsOf(body)).toEqual(['body']);
  });

  // Ten of these took the parser's guard twenty seconds when it looked back from every quote.
  test('JSON that never closes its text is refused without delay', async () => {
    const body = `"${'\\"'.repeat(32_000)}`;
    for (let count = 0; count < 10; count++) {
      expect((await users.send('/users', json(body))).status).toBe(400);
    }
  }, 8_000);

  test('64 KiB are taken, one byte more is 413 and closes the connection', async () => {
    const padded = (length: number) => JSON.stringify(ada).padEnd(length, ' ');
    expect((await users.send('/users', json(padded(MAX_BODY)))).status).toBe(201);
    const { status, headers, body } = await users.send('/users', json(padded(MAX_BODY + 1)));
    expect(status).toBe(413);
    expect(headers.get('connection')).toBe('close');
    expect(body).toEqual({ message: expect.any(String) });
  });
});

describe('forms', () => {
  test('nest by brackets, as they are or encoded, four levels deep', async () => {
    const { body } = await shop.payments.send(
      transactions,
      payment('custom[a][b][c]=1&custom%5Ba%5D%5Bd%5D=+2%2B&custom[e]='),
    );
    expect(await customOf(body.transaction.id)).toEqual({ a: { b: { c: '1' }, d: ' 2+' }, e: '' });
  });

  test.each([
    'custom[__proto__][admin]=1',
    'custom[constructor]=2',
    '__proto__[name]=x',
    'constructor[prototype][name]=x',
  ])(
    'with a key that names JavaScript’s own machinery (%s) are refused, and change nothing',
    async (keys) => {
      const { status, body } = await shop.payments.send(transactions, payment(keys));
      const [field] = keys.split('=');
      expect([status, body]).toEqual([400, [{ field, message: 'Is not a valid key' }]]);
      expect((await shop.payments.post('/apps')).body.app.name).toBeNull();
    },
  );

  test('such keys in JSON are unknown fields', async () => {
    const { status, body } = await shop.payments.send(
      '/apps',
      json('{"__proto__":{"name":"x"},"constructor":{"prototype":{"name":"x"}}}'),
    );
    expect([status, body.app.name]).toEqual([201, null]);
  });

  test.each([
    ['custom[a][b][c][d]=1', 'custom[a][b][c][d]'],
    ['custom[]=1', 'custom[]'],
    ['custom[a][]=1', 'custom[a][]'],
    ['custom[a=1', 'custom[a'],
    ['custom[a]b=1', 'custom[a]b'],
    ['amount=100', 'amount'],
    ['custom[a]=1&custom[a]=1', 'custom[a]'],
    ['custom[a]=1&custom[a][b]=1', 'custom[a][b]'],
    ['custom[a][b]=1&custom[a]=1', 'custom[a]'],
  ])('refuse %s', async (more, field) => {
    const { status, body } = await shop.payments.send(transactions, payment(more));
    expect(status).toBe(400);
    expect(fieldsOf(body)).toEqual([field]);
  });

  test('may have 100 keys', async () => {
    const keys = (count: number) =>
      Array.from({ length: count }, (_, index) => `custom[k${index}]=x`).join('&');
    expect((await shop.payments.send(transactions, payment(keys(97)))).status).toBe(201);
    const { status, body } = await shop.payments.send(transactions, payment(keys(98)));
    expect(status).toBe(400);
    expect(fieldsOf(body)).toEqual(['body']);
  });

  test.each(['0', '-1', '+1', '1.0', '1e2', '', ' 1', '1000000000000', '0x10'])(
    'refuse the amount "%s"',
    async (amount) => {
      const body = `transactionId=${shop.source}&currency=EUR&amount=${encodeURIComponent(amount)}`;
      const answer = await shop.payments.send(transactions, form(body));
      expect(answer.status).toBe(400);
      expect(fieldsOf(answer.body)).toEqual(['amount']);
    },
  );
});
