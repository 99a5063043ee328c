import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { type RestCaller, rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { newApp, smallestMerchant } from './shop.ts';

const ID = /^[0-9a-f]{24}$/;
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const START = Date.UTC(2030, 0, 1, 12, 0, 0, 5);

let time = START;
let sandbox: Sandbox;
let withoutKey: RestCaller;

beforeAll(async () => {
  sandbox = await startTestSandbox({ environment: { clock: () => new Date(time) } });
  withoutKey = rest(sandbox.paymentsUrl);
});
afterAll(() => sandbox.close());

describe('creating an app', () => {
  test('returns the id, the name and a key that is valid at once', async () => {
    const { status, text, body } = await withoutKey.post('/apps', { name: 'Till' });
    expect(status).toBe(201);
    expect(body.app.id).toMatch(ID);
    expect(body.app.key).toMatch(UUID_V4);
    expect(text).toBe(
      JSON.stringify({ app: { id: body.app.id, name: 'Till', key: body.app.key } }),
    );
    expect((await rest(sandbox.paymentsUrl, body.app.key).get('/me')).status).toBe(200);
  });

  test.each([[undefined], [{}], [[]], [{ name: null }]])(
    'does not require a name (%j)',
    async (input) => {
      const { status, body } = await withoutKey.post('/apps', input);
      expect(status).toBe(201);
      expect(body.app.name).toBeNull();
    },
  );

  test.each(['x'.repeat(201), 5, { first: 'x' }])('rejects the name %j', async (name) => {
    const { status, body } = await withoutKey.post('/apps', { name });
    expect(status).toBe(400);
    expect(body).toEqual([{ field: 'name', message: expect.any(String) }]);
  });

  test.each([
    ['an empty name and key', 'Basic Og=='],
    ['an unknown key', `Basic ${btoa(':unknown')}`],
    ['rubbish', 'Rubbish'],
  ])('ignores the Authorization header: %s', async (_, authorization) => {
    const { status } = await withoutKey.send('/apps', {
      method: 'POST',
      headers: { authorization },
    });
    expect(status).toBe(201);
  });

  test('gives every app its own key', async () => {
    const [one, two] = [await withoutKey.post('/apps'), await withoutKey.post('/apps')];
    expect(one.body.app.key).not.toBe(two.body.app.key);
  });
});

test('GET /me returns the app of the key', async () => {
  const { app } = (await withoutKey.post('/apps', { name: 'Till' })).body;
  const { status, text } = await rest(sandbox.paymentsUrl, app.key).get('/me');
  expect(status).toBe(200);
  const created = new Date(time).toISOString();
  expect(text).toBe(JSON.stringify({ identity: { id: app.id, name: 'Till', created } }));
});

describe('ids', () => {
  test('start with the seconds of the clock and do not end in zeros only', async () => {
    time += 3_600_000; // later than every earlier id, so that the id starts with this time
    const app = await newApp(sandbox);
    expect(Number.parseInt(app.id.slice(0, 8), 16)).toBe(Math.floor(time / 1000));
    expect(app.id.slice(8)).not.toBe('0'.repeat(16));
  });

  test('increase across kinds of records while the clock stands still', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 10; count++) {
      const app = await newApp(sandbox);
      const { merchant } = (await app.post('/merchants', smallestMerchant)).body;
      ids.push(app.id, merchant.id);
    }
    expect(ids).toEqual([...new Set(ids)].sort());
  });

  test('increase while the clock is set back', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 5; count++) {
      ids.push((await newApp(sandbox)).id);
      time -= 86_400_000;
    }
    time = START;
    expect(ids).toEqual([...new Set(ids)].sort());
  });
});
