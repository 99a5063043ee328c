import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { newApp, openShop, type Shop, smallestMerchant } from './shop.ts';

const UNKNOWN_ID = 'ffffffffffffffffffffffff';

let sandbox: Sandbox;
let shop: Shop;

beforeAll(async () => {
  sandbox = await startTestSandbox();
  shop = await openShop(sandbox);
});
afterAll(() => sandbox.close());

/** Operations that require a key, on the given records. */
function operations(ids: { app: string; merchant: string; transaction: string; line: string }) {
  const payment = { transactionId: ids.transaction, currency: 'EUR', amount: 1 };
  return [
    ['GET', `/identities/${ids.app}/merchants?limit=1`],
    ['GET', `/merchants/${ids.merchant}`],
    ['PUT', `/merchants/${ids.merchant}`, { name: 'Taken over' }],
    ['GET', `/merchants/${ids.merchant}/transactions?limit=1`],
    ['POST', `/merchants/${ids.merchant}/transactions`, payment],
    ['GET', `/transactions/${ids.transaction}`],
    ['POST', `/transactions/${ids.transaction}/captures`, { amount: 1 }],
    ['POST', `/transactions/${ids.transaction}/refunds`, { amount: 1 }],
    ['POST', `/transactions/${ids.transaction}/voids`, { amount: 1 }],
    ['GET', `/merchants/${ids.merchant}/lines?limit=1`],
    ['GET', `/lines/${ids.line}`],
  ] as const;
}

async function demoRecords() {
  const { id } = await shop.charge(1000);
  const { trail } = await shop.move('captures', id, { amount: 500 });
  const line = trail[0].lineId;
  return { app: sandbox.demoApp.id, merchant: shop.id, transaction: id, line };
}

function send(
  caller: ReturnType<typeof rest>,
  [method, path, body]: ReturnType<typeof operations>[number],
) {
  const headers = { 'content-type': 'application/json' };
  return caller.send(
    path,
    body === undefined ? { method } : { method, body: JSON.stringify(body), headers },
  );
}

describe('authentication', () => {
  test.each([
    ['no header', undefined],
    ['an unknown key', `Basic ${btoa(':00000000-0000-4000-8000-000000000000')}`],
    ['an empty key', 'Basic Og=='],
    ['no colon', `Basic ${btoa('key')}`],
    ['a value that is not Base64', 'Basic ?'],
    ['nothing after Basic', 'Basic'],
  ])('fails with 401 for %s', async (_, authorization) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const response = await rest(sandbox.paymentsUrl).send('/me', { headers });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Basic realm="payments"');
    expect(response.body).toEqual({ message: expect.any(String) });
  });

  test('requires the key as the password of HTTP Basic, with an empty user name', async () => {
    const { key } = sandbox.demoApp;
    const status = async (authorization: string) =>
      (await rest(sandbox.paymentsUrl).send('/me', { headers: { authorization } })).status;
    expect(await status(`Basic ${btoa(`:${key}`)}`)).toBe(200);
    expect(await status(`basic ${btoa(`:${key}`)}`)).toBe(200);
    expect(await status(`Basic ${btoa(`user:${key}`)}`)).toBe(401);
    expect(await status(`Basic ${btoa(`${key}:`)}`)).toBe(401);
    expect(await status(`Basic ${btoa(`:${key}x`)}`)).toBe(401);
    expect(await status(`Basic ${btoa(`:${key.toUpperCase()}`)}`)).toBe(401);
    expect(await status(`Bearer ${key}`)).toBe(401);
  });

  test('is required by every operation except the creation of an app', async () => {
    const withoutKey = rest(sandbox.paymentsUrl);
    for (const operation of [
      ['GET', '/me'] as const,
      ['POST', '/merchants', smallestMerchant] as const,
      ...operations(await demoRecords()),
    ]) {
      // The constant tuples are shorter than the type of an operation.
      const { status } = await send(withoutKey, operation as ReturnType<typeof operations>[number]);
      expect([...operation.slice(0, 2), status]).toEqual([...operation.slice(0, 2), 401]);
    }
    expect((await withoutKey.post('/apps')).status).toBe(201);
  });

  test('does not accept the public key of a merchant', async () => {
    const { merchant } = (await shop.payments.get(`/merchants/${shop.id}`)).body;
    expect((await rest(sandbox.paymentsUrl, merchant.key).get('/me')).status).toBe(401);
  });
});

describe('access', () => {
  test('to a record of another app fails with 403 and changes nothing', async () => {
    const records = await demoRecords();
    const stranger = await newApp(sandbox);
    const readAll = async () =>
      Promise.all(
        [
          `/merchants/${records.merchant}`,
          `/transactions/${records.transaction}`,
          `/merchants/${records.merchant}/transactions?limit=1`,
        ].map(async (path) => (await shop.payments.get(path)).text),
      );
    const before = await readAll();
    for (const operation of operations(records)) {
      const { status, body } = await send(stranger, operation);
      expect([...operation.slice(0, 2), status]).toEqual([...operation.slice(0, 2), 403]);
      expect(body).toEqual({ message: expect.any(String) });
    }
    expect(await readAll()).toEqual(before);
  });

  test.each([UNKNOWN_ID, 'nonsense', UNKNOWN_ID.toUpperCase(), '%00', "'%20OR%20''='"])(
    'to the id %s, which does not exist, fails with 404',
    async (id) => {
      const nowhere = { app: id, merchant: id, transaction: id, line: id };
      for (const operation of operations(nowhere)) {
        const { status, body } = await send(shop.payments, operation);
        expect([...operation.slice(0, 2), status]).toEqual([...operation.slice(0, 2), 404]);
        expect(body).toEqual({ message: expect.any(String) });
      }
    },
  );

  test('to the id of another kind of record fails with 404', async () => {
    const { merchant, transaction, line } = await demoRecords();
    const swapped = { app: merchant, merchant: transaction, transaction: line, line: merchant };
    for (const operation of operations(swapped)) {
      const { status } = await send(shop.payments, operation);
      expect([...operation.slice(0, 2), status]).toEqual([...operation.slice(0, 2), 404]);
    }
  });

  test('to a new merchant is given to the app that created it, and to no other app', async () => {
    const [owner, stranger] = [await newApp(sandbox), await newApp(sandbox)];
    const { merchant } = (await owner.post('/merchants', smallestMerchant)).body;
    expect((await owner.get(`/merchants/${merchant.id}`)).status).toBe(200);
    expect((await stranger.get(`/merchants/${merchant.id}`)).status).toBe(403);
    expect((await shop.payments.get(`/merchants/${merchant.id}`)).status).toBe(403);
    const listed = (await stranger.get(`/identities/${stranger.id}/merchants?limit=9`)).body;
    expect(listed).toEqual([]);
  });

  test('to the list of an app’s merchants is given to that app only', async () => {
    const [one, two] = [await newApp(sandbox), await newApp(sandbox)];
    await one.post('/merchants', smallestMerchant);
    expect((await one.get(`/identities/${one.id}/merchants?limit=9`)).body).toHaveLength(1);
    expect((await two.get(`/identities/${one.id}/merchants?limit=9`)).status).toBe(403);
  });
});
