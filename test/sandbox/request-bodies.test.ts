import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { type RestCaller, rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { type AnyRecord, fieldsOf, form, json, openShop, type Shop } from './shop.ts';

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

/** A form that makes a payment from one of the demo data, with additional fields. */
const payment = (more: string) =>
  form(`transactionId=${shop.source}&currency=EUR&amount=100&${more}`);

async function customOf(id: string): Promise<AnyRecord> {
  return (await shop.payments.get(`/transactions/${id}`)).body.transaction.custom;
}

describe('JSON and content types', () => {
  test.each([
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/vnd.api+json',
    'application/problem+json',
  ])('the content type %s is JSON', async (type) => {
    expect((await users.send('/users', json(JSON.stringify(ada), type))).status).toBe(201);
  });

  test.each(['text/plain', 'text/json', 'application/xml', 'multipart/form-data', ''])(
    'the content type "%s" fails with 415',
    async (type) => {
      const { status, body } = await users.send('/users', json(Buffer.from('{}'), type));
      expect(status).toBe(415);
      expect(body).toEqual({ message: expect.any(String) });
    },
  );

  test('the content type of an empty body is ignored', async () => {
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
      // `once` does not know the types of the event's arguments.
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      await text(response);
      expect(response.statusCode).toBe(status);
    }
  });

  test.each([
    ['invalid JSON', '{"name":'],
    ['a string', '"name"'],
    ['a number', '1'],
    ['null', 'null'],
    ['a list', '[{"name":"Ada"}]'],
    ['text that is not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('%s is rejected as the field `body`', async (_, body) => {
    const { status, body: errors } = await users.send('/users', json(body));
    expect(status).toBe(400);
    expect(fieldsOf(errors)).toEqual(['body']);
  });

  test('the last value of a repeated JSON key counts', async () => {
    const body = JSON.stringify(ada).replace('{', '{"name":"Bo",');
    expect((await users.send('/users', json(body))).body.name).toBe('Ada');
  });

  test('JSON can have 20 levels, not counting brackets inside strings', async () => {
    const nested = (levels: number): object =>
      levels === 1 ? { text: '[{"\\'.repeat(30) } : { inner: nested(levels - 1) };
    const custom = nested(19);
    expect((await shop.charge(1, { custom })).custom).toEqual(custom);
    const { status, body } = await shop.payments.post(transactions, { custom: nested(20) });
    expect(status).toBe(400);
    expect(fieldsOf(body)).toEqual(['body']);
  });

  // Ten of these bodies took twenty seconds when every quote was searched for its closing quote.
  test('JSON with a string that is never closed is rejected without delay', async () => {
    const body = `"${'\\"'.repeat(32_000)}`;
    for (let count = 0; count < 10; count++) {
      expect((await users.send('/users', json(body))).status).toBe(400);
    }
  }, 8_000);

  test('a body of 64 KiB is accepted; one byte more fails with 413 and closes the connection', async () => {
    const padded = (length: number) => JSON.stringify(ada).padEnd(length, ' ');
    expect((await users.send('/users', json(padded(MAX_BODY)))).status).toBe(201);
    const { status, headers, body } = await users.send('/users', json(padded(MAX_BODY + 1)));
    expect(status).toBe(413);
    expect(headers.get('connection')).toBe('close');
    expect(body).toEqual({ message: expect.any(String) });
  });
});

describe('forms', () => {
  test('have up to four levels of nested fields, with plain or encoded brackets', async () => {
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
  ])('with a key that reaches a prototype (%s) are rejected, and change nothing', async (keys) => {
    const { status, body } = await shop.payments.send(transactions, payment(keys));
    const [field] = keys.split('=');
    expect([status, body]).toEqual([400, [{ field, message: 'Is not a valid key' }]]);
    expect((await shop.payments.post('/apps')).body.app.name).toBeNull();
  });

  test('differ from JSON, where such keys are unknown fields', async () => {
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
  ])('reject %s', async (more, field) => {
    const { status, body } = await shop.payments.send(transactions, payment(more));
    expect(status).toBe(400);
    expect(fieldsOf(body)).toEqual([field]);
  });

  test('can have 100 keys', async () => {
    const keys = (count: number) =>
      Array.from({ length: count }, (_, index) => `custom[k${index}]=x`).join('&');
    expect((await shop.payments.send(transactions, payment(keys(97)))).status).toBe(201);
    const { status, body } = await shop.payments.send(transactions, payment(keys(98)));
    expect(status).toBe(400);
    expect(fieldsOf(body)).toEqual(['body']);
  });

  test.each(['0', '-1', '+1', '1.0', '1e2', '', ' 1', '1000000000000', '0x10'])(
    'reject the amount "%s"',
    async (amount) => {
      const body = `transactionId=${shop.source}&currency=EUR&amount=${encodeURIComponent(amount)}`;
      const response = await shop.payments.send(transactions, form(body));
      expect(response.status).toBe(400);
      expect(fieldsOf(response.body)).toEqual(['amount']);
    },
  );
});
