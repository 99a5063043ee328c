import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { type RestAnswer, type RestCaller, rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { type AnyRecord, fieldsOf, form, openShop, type Shop, smallestMerchant } from './shop.ts';

let sandbox: Sandbox;
let shop: Shop;
let users: RestCaller;

beforeAll(async () => {
  sandbox = await startTestSandbox();
  shop = await openShop(sandbox);
  users = rest(sandbox.usersUrl);
});
afterAll(() => sandbox.close());

/** The ways to send a field without a value. The first one leaves it out. */
const ways = ['absent', 'null in JSON', 'empty in JSON', 'empty in a form'] as const;

/** Sends the fields, and one more in one of the ways. A dot separates nested names. */
function send(
  [caller, method, path]: readonly [RestCaller, string, string],
  fields: Readonly<Record<string, string | number>>,
  field: string,
  way: (typeof ways)[number],
): Promise<RestAnswer> {
  const all = new Map<string, string | number | null>(Object.entries(fields));
  all.delete(field);
  if (way !== 'absent') all.set(field, way === 'null in JSON' ? null : '');
  if (way === 'empty in a form') {
    const pairs = [...all].map(([name, value]) => [name.replace(/\.(\w+)/, '[$1]'), String(value)]);
    return caller.send(path, form(new URLSearchParams(pairs).toString(), method));
  }
  const body: AnyRecord = {};
  for (const [name, value] of all) {
    const [outer = '', inner] = name.split('.');
    if (inner === undefined) body[outer] = value;
    else body[outer] = { ...body[outer], [inner]: value };
  }
  const headers = { 'content-type': 'application/json' };
  return caller.send(path, { method, headers, body: JSON.stringify(body) });
}

const { company, ...flat } = smallestMerchant;
const merchantFields = { ...flat, 'company.country': company.country };
const user = { name: 'Ada', email: 'ada@example.com', address: 'London' };

describe.each(ways)('an optional field that is %s', (way) => {
  test.each(['name', 'test', 'company.number', 'bank.iban', 'bank'])(
    'is no value for a new merchant: %s',
    async (field) => {
      const { status, body } = await send(
        [shop.payments, 'POST', '/merchants'],
        merchantFields,
        field,
        way,
      );
      expect(status).toBe(201);
      const { name, test, company, bank } = body.merchant;
      expect([name, test, company.number, bank.iban]).toEqual([null, false, null, null]);
    },
  );

  test.each(['name', 'email', 'descriptor', 'website', 'test', 'company.number', 'company'])(
    'leaves a merchant unchanged: %s',
    async (field) => {
      const path = `/merchants/${shop.id}`;
      const before = (await shop.payments.get(path)).text;
      expect((await send([shop.payments, 'PUT', path], {}, field, way)).status).toBe(204);
      expect((await shop.payments.get(path)).text).toBe(before);
    },
  );

  test('is no name for a new app', async () => {
    const { status, body } = await send([shop.payments, 'POST', '/apps'], {}, 'name', way);
    expect([status, body.app.name]).toEqual([201, null]);
  });

  test.each(['descriptor', 'custom', 'authorizationId', 'cardId'])(
    'is no value for a new transaction: %s',
    async (field) => {
      const path = `/merchants/${shop.id}/transactions`;
      const fields = { transactionId: shop.source, currency: 'EUR', amount: 100 };
      const { status, body } = await send([shop.payments, 'POST', path], fields, field, way);
      expect(status).toBe(201);
      const created = await shop.payments.get(`/transactions/${body.transaction.id}`);
      const { descriptor, custom } = created.body.transaction;
      expect([descriptor, custom]).toEqual(['NORDLYS KAFFEE', null]);
    },
  );

  test.each(['currency', 'descriptor'])('is no value for a capture: %s', async (field) => {
    const { id } = await shop.charge(100);
    const target = [shop.payments, 'POST', `/transactions/${id}/captures`] as const;
    const { status, body } = await send(target, { amount: 100 }, field, way);
    expect([status, body.transaction.trail[0].descriptor]).toEqual([201, 'NORDLYS KAFFEE']);
  });

  test('is no notes for a saved card', async () => {
    const target = [shop.payments, 'POST', `/merchants/${shop.id}/cards`] as const;
    const { body } = await send(target, { transactionId: shop.source }, 'notes', way);
    expect((await shop.payments.get(`/cards/${body.card.id}`)).body.card.notes).toBeNull();
  });

  test.each(['name', 'email'])('leaves a user record unchanged: %s', async (field) => {
    const { id } = (await users.post('/users', user)).body;
    const target = [users, 'PATCH', `/users/${id}`] as const;
    const { status, body } = await send(target, { address: 'Paris' }, field, way);
    expect([status, body]).toEqual([200, { ...user, id, address: 'Paris' }]);
    expect(fieldsOf((await send(target, {}, field, way)).body)).toEqual(['body']);
  });
});

describe.each(ways)('a required field that is %s', (way) => {
  test.each([
    ...['name', 'email'].map((field) => ['POST /users', field] as const),
    ...Object.keys(merchantFields).map((field) => ['POST /merchants', field] as const),
    ['POST /merchants/:id/users', 'email'],
    ['POST /merchants/:id/apps', 'appId'],
    ['POST /merchants/:id/cards', 'transactionId'],
    ...['transactionId', 'currency', 'amount'].map(
      (field) => ['POST /merchants/:id/transactions', field] as const,
    ),
    ...['captures', 'refunds', 'voids'].map(
      (kind) => [`POST /transactions/:id/${kind}`, 'amount'] as const,
    ),
  ] as const)('is missing: %s %s', async (operation, field) => {
    const [method = '', pattern = ''] = operation.split(' ');
    const id = pattern.startsWith('/merchants') ? shop.id : shop.source;
    const caller = pattern === '/users' ? users : shop.payments;
    const all = { ...user, ...merchantFields, transactionId: shop.source, amount: 100 };
    const target = [caller, method, pattern.replace(':id', id)] as const;
    const { status, body } = await send(target, all, field, way);
    expect([status, body]).toEqual([400, [{ field, message: 'Missing' }]]);
  });
});

test('an address may be empty, but it must not be left out', async () => {
  const { id } = (await users.post('/users', user)).body;
  for (const method of ['PUT', 'PATCH']) {
    const target = [users, method, `/users/${id}`] as const;
    for (const way of ['empty in JSON', 'empty in a form'] as const) {
      await users.patch(`/users/${id}`, { address: 'London' });
      expect((await send(target, user, 'address', way)).body.address).toBe('');
    }
  }
  const target = [users, 'POST', '/users'] as const;
  for (const way of ['absent', 'null in JSON'] as const) {
    const { body } = await send(target, user, 'address', way);
    expect(body).toEqual([{ field: 'address', message: 'Missing' }]);
  }
});
