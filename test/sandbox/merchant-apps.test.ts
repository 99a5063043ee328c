import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { type AnyRecord, newApp, openShop, type Shop, smallestMerchant } from './shop.ts';

const UNKNOWN_ID = 'ffffffffffffffffffffffff';

let sandbox: Sandbox;
let shop: Shop;
let apps: string;

beforeAll(async () => {
  sandbox = await startTestSandbox();
  shop = await openShop(sandbox);
  apps = `/merchants/${shop.id}/apps`;
});
afterAll(() => sandbox.close());

const add = (appId: unknown, path = apps) => shop.payments.post(path, { appId });

/** A new app with its own merchant. */
async function newOwner() {
  const owner = await newApp(sandbox);
  const { id } = (await owner.post('/merchants', smallestMerchant)).body.merchant;
  return { owner, merchant: `/merchants/${id}` };
}

describe('adding an app', () => {
  test('gives it access to every record of the merchant, with an empty response', async () => {
    const { trail } = await shop.move('captures', (await shop.charge(9)).id, { amount: 9 });
    const app = await newApp(sandbox);
    const paths = [`/merchants/${shop.id}`, `/transactions/${shop.source}`, `${apps}?limit=1`];
    paths.push(`/lines/${trail[0].lineId}`);
    for (const path of paths) expect((await app.get(path)).status).toBe(403);
    const { status, text, headers } = await add(app.id);
    expect([status, text, headers.get('content-type')]).toEqual([201, '', null]);
    for (const path of paths) expect((await app.get(path)).status).toBe(200);
    const merchants = (await app.get(`/identities/${app.id}/merchants?limit=9`)).body;
    expect(merchants.map(({ id }: AnyRecord) => id)).toEqual([shop.id]);
  });

  test('allows it to add and revoke other apps', async () => {
    const [first, second] = [await newApp(sandbox), await newApp(sandbox)];
    await add(first.id);
    expect((await first.post(apps, { appId: second.id })).status).toBe(201);
    expect((await second.delete(`${apps}/${first.id}`)).status).toBe(204);
    expect((await first.get(`/merchants/${shop.id}`)).status).toBe(403);
  });

  test('a second time returns 201 and changes nothing', async () => {
    const app = await newApp(sandbox);
    await add(app.id);
    const before = (await shop.payments.get(`${apps}?limit=1000`)).text;
    const { status, text } = await add(app.id);
    expect([status, text]).toEqual([201, '']);
    expect((await shop.payments.get(`${apps}?limit=1000`)).text).toBe(before);
  });

  test('gives no access to other merchants', async () => {
    const { owner, merchant } = await newOwner();
    await add(owner.id);
    expect((await shop.payments.get(merchant)).status).toBe(403);
    const app = await newApp(sandbox);
    await owner.post(`${merchant}/apps`, { appId: app.id });
    expect((await app.get(`/merchants/${shop.id}`)).status).toBe(403);
  });

  test.each([
    ['missing', undefined],
    ['null', null],
    ['empty', ''],
    ['unknown', UNKNOWN_ID],
    ['malformed', 'nonsense'],
    ['a number', 7],
  ])('fails with 400 for an appId that is %s', async (_, appId) => {
    const { status, body } = await add(appId);
    expect([status, body]).toEqual([400, [{ field: 'appId', message: expect.any(String) }]]);
  });

  test('fails with 400 for the id of a merchant or a member', async () => {
    const [member] = (await shop.payments.get(`/merchants/${shop.id}/users?limit=1`)).body;
    for (const id of [shop.id, member.id]) expect((await add(id)).status).toBe(400);
  });
});

describe('the list of apps', () => {
  test('contains each app with its key, newest first, and accepts both cursors', async () => {
    const { owner, merchant } = await newOwner();
    const named = (await owner.post('/apps', { name: 'Till' })).body.app;
    const nameless = await newApp(sandbox);
    for (const { id } of [nameless, named]) await owner.post(`${merchant}/apps`, { appId: id });
    const path = `${merchant}/apps`;
    const all = await owner.get(`${path}?limit=1000`);
    const ids = all.body.map(({ id }: AnyRecord) => id);
    expect(ids).toEqual([nameless.id, named.id, owner.id]);
    const created = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
    expect(all.body[1]).toEqual({ ...named, created });
    expect(Object.keys(all.body[1])).toEqual(['id', 'name', 'key', 'created']);
    expect(all.body[0].name).toBeNull();
    expect((await rest(sandbox.paymentsUrl, all.body[0].key).get('/me')).status).toBe(200);

    const idsOf = async (query: string) =>
      (await owner.get(`${path}?${query}`)).body.map(({ id }: AnyRecord) => id);
    expect(await idsOf('limit=1')).toEqual(ids.slice(0, 1));
    expect(await idsOf(`limit=5&before=${ids[0]}`)).toEqual(ids.slice(1));
    expect(await idsOf(`limit=5&after=${ids[2]}`)).toEqual([ids[1], ids[0]]);
    expect((await owner.get(path)).body).toEqual([{ field: 'limit', message: expect.any(String) }]);
  });
});

describe('revoking an app', () => {
  test('ends its access at once, and fails with 404 the second time', async () => {
    const app = await newApp(sandbox);
    await add(app.id);
    const { status, text } = await shop.payments.delete(`${apps}/${app.id}`);
    expect([status, text]).toEqual([204, '']);
    expect((await app.get(`/merchants/${shop.id}`)).status).toBe(403);
    expect((await app.get(`/transactions/${shop.source}`)).status).toBe(403);
    expect((await app.get(`/identities/${app.id}/merchants?limit=9`)).body).toEqual([]);
    expect((await app.get('/me')).status).toBe(200);
    expect((await shop.payments.delete(`${apps}/${app.id}`)).status).toBe(404);
  });

  test('is allowed for the app itself, and the merchant stays', async () => {
    const { owner, merchant } = await newOwner();
    const app = await newApp(sandbox);
    await owner.post(`${merchant}/apps`, { appId: app.id });
    expect((await owner.delete(`${merchant}/apps/${owner.id}`)).status).toBe(204);
    expect((await owner.get(merchant)).status).toBe(403);
    expect((await app.get(merchant)).status).toBe(200);
    expect((await app.delete(`${merchant}/apps/${app.id}`)).status).toBe(204);
    expect((await app.get(merchant)).status).toBe(403); // it exists, but no app has access
  });

  test.each([UNKNOWN_ID, 'nonsense', '%00'])(
    'fails with 404 for %s, which is not an app of the merchant',
    async (id) => {
      expect((await shop.payments.delete(`${apps}/${id}`)).status).toBe(404);
    },
  );
});

test('only an app of the merchant can add, list and revoke apps', async () => {
  const stranger = await newApp(sandbox);
  for (const [caller, path, expected] of [
    [rest(sandbox.paymentsUrl), apps, 401],
    [stranger, apps, 403],
    [shop.payments, `/merchants/${UNKNOWN_ID}/apps`, 404],
  ] as const) {
    const responses = [
      await caller.post(path, { appId: stranger.id }),
      await caller.get(`${path}?limit=1`),
      await caller.delete(`${path}/${sandbox.demoApp.id}`),
    ];
    expect(responses.map(({ status }) => status)).toEqual([expected, expected, expected]);
  }
  expect((await shop.payments.get(`/merchants/${shop.id}`)).status).toBe(200);
});
