import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { type AnyRecord, newApp, openShop, type Shop, smallestMerchant } from './shop.ts';

const UNKNOWN_ID = 'ffffffffffffffffffffffff';

let sandbox: Sandbox;
let shop: Shop;
let members: string;
const reports: string[] = [];
let people = 0;

beforeAll(async () => {
  sandbox = await startTestSandbox({ report: (line) => reports.push(line) });
  shop = await openShop(sandbox);
  members = `/merchants/${shop.id}/users`;
});
afterAll(() => sandbox.close());

const newAddress = (name = 'person') => `${name}-${++people}@example.com`;
const invite = (email: unknown, path = members) => shop.payments.post(path, { email });

async function memberBy(email: string, path = members): Promise<AnyRecord> {
  const all = (await shop.payments.get(`${path}?limit=1000`)).body;
  return all.find((each: AnyRecord) => each.email === email);
}

/** A merchant of the demo app without members. */
async function newMerchant(): Promise<AnyRecord> {
  return (await shop.payments.post('/merchants', smallestMerchant)).body.merchant;
}

describe('an invitation', () => {
  test('makes a person a member and returns whether they were one already', async () => {
    const email = newAddress();
    const first = await invite(email);
    expect([first.status, first.text]).toEqual([201, '{"isMember":false}']);
    const member = await memberBy(email);
    expect(Object.keys(member)).toEqual(['id', 'email', 'created', 'name']);
    expect(member).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{24}$/),
      email,
      created: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/),
      name: null,
    });
    const second = await invite(email);
    expect([second.status, second.text]).toEqual([201, '{"isMember":true}']);
  });

  test('ignores the case of the address and keeps the address as it was sent first', async () => {
    const email = newAddress('Grete.Holm');
    await invite(email);
    expect((await invite(email.toUpperCase())).body).toEqual({ isMember: true });
    expect(await memberBy(email.toUpperCase())).toBeUndefined();
    expect(await memberBy(email)).toBeDefined();
  });

  test('gives a person the same id at every merchant', async () => {
    const email = newAddress();
    await invite(email);
    const other = `/merchants/${(await newMerchant()).id}/users`;
    expect((await invite(email.toUpperCase(), other)).body).toEqual({ isMember: false });
    expect((await shop.payments.get(`${other}?limit=5`)).body).toEqual([await memberBy(email)]);
  });

  test('accepts an address of 254 characters, but not of 255', async () => {
    const longest = `${'a'.repeat(242)}@example.com`;
    expect((await invite(longest)).status).toBe(201);
    expect((await invite(`a${longest}`)).status).toBe(400);
  });

  test.each([
    ['is missing', undefined],
    ['is null', null],
    ['is a number', 7],
    ['has no @', 'example.com'],
    ['has two @', 'a@b@example.com'],
    ['has no name before the @', '@example.com'],
    ['has no dot after the @', 'a@localhost'],
    ['contains a space', 'a b@example.com'],
    ['contains a line break', 'a@example.com\nbcc:b@example.com'],
  ])('fails with 400 and adds no member if the email %s', async (_, email) => {
    const before = (await shop.payments.get(`${members}?limit=1000`)).text;
    const { status, body } = await invite(email);
    expect([status, body]).toEqual([400, [{ field: 'email', message: expect.any(String) }]]);
    expect((await shop.payments.get(`${members}?limit=1000`)).text).toBe(before);
  });
});

describe('the list of members', () => {
  test('has one element per line, newest first, and accepts both cursors', async () => {
    const path = `/merchants/${(await newMerchant()).id}/users`;
    expect((await shop.payments.get(`${path}?limit=5`)).text).toBe('[\n]');
    for (let count = 0; count < 5; count++) await invite(newAddress(), path);
    const all = await shop.payments.get(`${path}?limit=1000`);
    const ids: string[] = all.body.map((each: AnyRecord) => each.id);
    expect(ids).toEqual([...ids].sort().reverse());
    const lines = all.body.map((each: AnyRecord) => JSON.stringify(each));
    expect(all.text).toBe(`[\n${lines.join(',\n')}\n]`);

    const idsOf = async (query: string) =>
      (await shop.payments.get(`${path}?${query}`)).body.map((each: AnyRecord) => each.id);
    expect(await idsOf('limit=2')).toEqual(ids.slice(0, 2));
    expect(await idsOf(`limit=2&before=${ids[1]}`)).toEqual(ids.slice(2, 4));
    expect(await idsOf(`limit=2&before=${ids[3]}`)).toEqual(ids.slice(4));
    expect(await idsOf(`limit=2&after=${ids[4]}`)).toEqual([ids[3], ids[2]]);
  });

  test('requires a limit and has no filters', async () => {
    const { status, body } = await shop.payments.get(`${members}?filter[email]=a`);
    expect([status, body.map((each: AnyRecord) => each.field)]).toEqual([
      400,
      ['limit', 'filter[email]'],
    ]);
  });
});

describe('revoking a member', () => {
  test('ends the membership at this merchant only, and fails with 404 the second time', async () => {
    const email = newAddress();
    const other = `/merchants/${(await newMerchant()).id}/users`;
    await invite(email);
    await invite(email, other);
    const { id } = await memberBy(email);
    const { status, text } = await shop.payments.delete(`${members}/${id}`);
    expect([status, text]).toEqual([204, '']);
    expect(await memberBy(email)).toBeUndefined();
    expect(await memberBy(email, other)).toMatchObject({ id });
    expect((await shop.payments.delete(`${members}/${id}`)).status).toBe(404);
  });

  test('and inviting them again gives the person the same id', async () => {
    const email = newAddress();
    await invite(email);
    const before = await memberBy(email);
    await shop.payments.delete(`${members}/${before.id}`);
    expect((await invite(email)).body).toEqual({ isMember: false });
    expect(await memberBy(email)).toEqual(before);
  });

  test.each([UNKNOWN_ID, 'nonsense', '%00'])(
    'fails with 404 for %s, which is not a member',
    async (id) => {
      expect((await shop.payments.delete(`${members}/${id}`)).status).toBe(404);
    },
  );
});

describe('every operation on members', () => {
  const operations = (merchant: string) => [
    ['POST', `/merchants/${merchant}/users`, '{"email":"stranger@example.com"}'],
    ['GET', `/merchants/${merchant}/users?limit=5`],
    ['DELETE', `/merchants/${merchant}/users/${UNKNOWN_ID}`],
  ];

  test('fails with 401 without a key, 403 for another app and 404 for an unknown merchant', async () => {
    const stranger = await newApp(sandbox);
    for (const [caller, merchant, expected] of [
      [rest(sandbox.paymentsUrl), shop.id, 401],
      [stranger, shop.id, 403],
      [shop.payments, UNKNOWN_ID, 404],
    ] as const) {
      for (const [method = '', path = '', body] of operations(merchant)) {
        const headers = { 'content-type': 'application/json' };
        const sent = body === undefined ? { method } : { method, body, headers };
        expect([method, (await caller.send(path, sent)).status]).toEqual([method, expected]);
      }
    }
    expect(await memberBy('stranger@example.com')).toBeUndefined();
  });
});

test('without a mail server, an invitation is stored in the outbox once', async () => {
  const merchant = await newMerchant();
  const path = `/merchants/${merchant.id}/users`;
  const before = reports.length;
  const email = newAddress();
  expect((await invite(email, path)).body).toEqual({ isMember: false });
  expect((await invite(email, path)).body).toEqual({ isMember: true });
  expect(reports.slice(before)).toEqual([
    `Invitation for merchant ${merchant.id}: stored in the outbox`,
  ]);
});
