import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { demoApp, newApp, openShop, type Shop, smallestMerchant } from './shop.ts';

const id = expect.stringMatching(/^[0-9a-f]{24}$/);
const any = expect.any(String);
const has = (fields: object) => expect.objectContaining(fields);
const listOf = (element: object) => expect.arrayContaining([has({ id, ...element })]);
const noBody = undefined;

const person = { name: 'Ada Lund', email: 'ada@example.com', address: 'Kajen 4' };
const payment = { currency: 'EUR', amount: 100 };

/** An operation of the specification. The test replaces `<…>` in paths, queries and bodies. */
type Operation = readonly [
  operation: string,
  behaviour: string,
  sent: { readonly query?: string; readonly body?: object },
  status: number,
  response: unknown,
];

const userOperations: readonly Operation[] = [
  ['GET /users', 'lists every record', {}, 200, expect.arrayContaining([has({ id: any })])],
  ['GET /users/<id>', 'returns the record', {}, 200, { id: any, ...person }],
  ['POST /users', 'creates a record', { body: person }, 201, { id: any, ...person }],
  [
    'PUT /users/<id>',
    'replaces the record',
    { body: { ...person, name: 'Ida' } },
    200,
    { id: any, ...person, name: 'Ida' },
  ],
  [
    'PATCH /users/<id>',
    'changes the given fields',
    { body: { address: '' } },
    200,
    { id: any, ...person, address: '' },
  ],
  ['DELETE /users/<id>', 'deletes the record', {}, 204, noBody],
];

const firstFive = { query: '?limit=5' };
const ofMerchant = { query: '?limit=5&filter[merchantId]=<merchants/<merchant-id>>' };

const paymentOperations: readonly Operation[] = [
  [
    'POST /apps',
    'creates an app',
    { body: { name: 'Till' } },
    201,
    { app: { id, name: 'Till', key: any } },
  ],
  [
    'GET /me',
    'returns the app of the key',
    {},
    200,
    { identity: { id, name: 'Demo', created: any } },
  ],
  [
    'POST /merchants',
    'creates a merchant',
    { body: smallestMerchant },
    201,
    { merchant: has({ id, key: any, ...smallestMerchant, company: has({ country: 'DE' }) }) },
  ],
  ['PUT /merchants/<merchant-id>', 'updates the merchant', { body: { name: 'New' } }, 204, noBody],
  [
    'GET /identities/<app-id>/merchants',
    'lists the merchants of the app',
    firstFive,
    200,
    listOf({ key: any, currency: any, test: true }),
  ],
  [
    'GET /merchants/<merchant-id>',
    'returns the merchant',
    {},
    200,
    { merchant: has({ id, key: any }) },
  ],
  [
    'POST /merchants/<merchant-id>/users',
    'invites a person',
    { body: { email: 'new@example.com' } },
    201,
    { isMember: false },
  ],
  ['DELETE /merchants/<merchant-id>/users/<user-id>', 'revokes a member', {}, 204, noBody],
  ['GET /merchants/<merchant-id>/users', 'lists members', firstFive, 200, listOf({ email: any })],
  [
    'POST /merchants/<merchant-id>/apps',
    'adds an app',
    { body: { appId: '<apps/<app-id>>' } },
    201,
    noBody,
  ],
  ['DELETE /merchants/<merchant-id>/apps/<app-id>', 'revokes an app', {}, 204, noBody],
  ['GET /merchants/<merchant-id>/apps', 'lists apps', firstFive, 200, listOf({ created: any })],
  [
    'GET /merchants/<merchant-id>/lines',
    'lists lines',
    firstFive,
    200,
    listOf({ balance: expect.any(Number), fee: expect.any(Number) }),
  ],
  [
    'GET /lines/<line-id>',
    'returns the line without an envelope',
    {},
    200,
    has({ id, merchantId: id }),
  ],
  [
    'POST /merchants/<merchant-id>/transactions',
    'pays from a previous transaction',
    { body: { ...payment, transactionId: '<transactions/<transaction-id>>' } },
    201,
    { transaction: { id } },
  ],
  [
    'POST /merchants/<merchant-id>/transactions',
    'pays from a saved card',
    { body: { ...payment, cardId: '<cards/<card-id>>' } },
    201,
    { transaction: { id } },
  ],
  [
    'POST /transactions/<transaction-id>/captures',
    'captures',
    { body: { amount: 7 } },
    201,
    { transaction: has({ id, capturedAmount: 507, pendingAmount: 493 }) },
  ],
  [
    'POST /transactions/<transaction-id>/refunds',
    'refunds',
    { body: { amount: 7 } },
    201,
    { transaction: has({ id, refundedAmount: 7 }) },
  ],
  [
    'POST /transactions/<transaction-id>/voids',
    'voids',
    { body: { amount: 7 } },
    201,
    { transaction: has({ id, voidedAmount: 7 }) },
  ],
  [
    'GET /merchants/<merchant-id>/transactions',
    'lists transactions',
    firstFive,
    200,
    listOf({ amount: expect.any(Number), trail: expect.any(Array) }),
  ],
  [
    'GET /transactions/<transaction-id>',
    'returns the transaction',
    {},
    200,
    { transaction: has({ id, amount: 1000, capturedAmount: 500, successful: true, error: false }) },
  ],
  [
    'POST /merchants/<merchant-id>/cards',
    'saves a card',
    { body: { transactionId: '<transactions/<transaction-id>>' } },
    201,
    { card: { id } },
  ],
  [
    'GET /cards/<card-id>',
    'returns the saved card',
    {},
    200,
    { card: has({ id, bin: '410000', last4: '0000', scheme: 'visa' }) },
  ],
  ['GET /disputes', 'lists disputes', ofMerchant, 200, listOf({ transactionId: id, due: any })],
  [
    'GET /disputes/<dispute-id>',
    'returns the dispute',
    {},
    200,
    { dispute: has({ id, due: any }) },
  ],
  ['GET /frauds', 'lists fraud alerts', ofMerchant, 200, listOf({ transactionId: id, reason: 1 })],
  ['GET /frauds/<fraud-id>', 'returns the fraud alert', {}, 200, { fraud: has({ id, reason: 1 }) }],
];

let sandbox: Sandbox;
let shop: Shop;

beforeAll(async () => {
  sandbox = await startTestSandbox();
  shop = await openShop(sandbox);
});
afterAll(() => sandbox.close());

async function newest(list: 'disputes' | 'frauds'): Promise<string> {
  return (await shop.payments.get(`/${list}?limit=1&filter[merchantId]=${shop.id}`)).body[0].id;
}

async function captured() {
  return shop.move('captures', (await shop.charge(1000)).id, { amount: 500 });
}

/** Returns the id for each placeholder. Operations that use up a record get a new one. */
const records: Readonly<Record<string, () => Promise<string>>> = {
  'users/<id>': async () => (await rest(sandbox.usersUrl).post('/users', person)).body.id,
  'identities/<app-id>': async () => sandbox.demoApp.id,
  'merchants/<merchant-id>': async () => shop.id,
  'users/<user-id>': async () => {
    await shop.payments.post(`/merchants/${shop.id}/users`, { email: 'leaver@example.com' });
    return (await shop.payments.get(`/merchants/${shop.id}/users?limit=1`)).body[0].id;
  },
  'apps/<app-id>': async () => {
    const { id: appId } = await newApp(sandbox);
    await shop.payments.post(`/merchants/${shop.id}/apps`, { appId });
    return appId;
  },
  'lines/<line-id>': async () => (await captured()).trail[0].lineId,
  'transactions/<transaction-id>': async () => (await captured()).id,
  'cards/<card-id>': async () => {
    const source = { transactionId: shop.source };
    return (await shop.payments.post(`/merchants/${shop.id}/cards`, source)).body.card.id;
  },
  'disputes/<dispute-id>': () => newest('disputes'),
  'frauds/<fraud-id>': () => newest('frauds'),
};

/** Replaces every placeholder with an id: `users/<id>` in a path, `<users/<id>>` elsewhere. */
async function fill(text: string): Promise<string> {
  let filled = text;
  for (const [name, make] of Object.entries(records)) {
    if (filled.includes(name)) {
      const made = await make();
      const collection = name.slice(0, name.indexOf('<'));
      filled = filled.replaceAll(`<${name}>`, made).replaceAll(name, collection + made);
    }
  }
  return filled;
}

test.each([
  ...userOperations.map((each) => ['users', ...each] as const),
  ...paymentOperations.map((each) => ['payments', ...each] as const),
])('%s: %s %s', async (service, operation, _behaviour, { query = '', body }, status, expected) => {
  const [method = '', path = ''] = operation.split(' ');
  const caller = service === 'users' ? rest(sandbox.usersUrl) : demoApp(sandbox);
  const sent =
    body === undefined
      ? {}
      : {
          body: await fill(JSON.stringify(body)),
          headers: { 'content-type': 'application/json' },
        };
  const response = await caller.send(await fill(path + query), { method, ...sent });
  expect(response.body).toEqual(expected);
  expect(response.status).toBe(status);
});

test('the services have exactly these 6 and 27 operations', () => {
  const served = (service: 'users' | 'payments') =>
    sandbox.operations[service].map((each) => each.replace(/:\w+/g, '<>')).sort();
  const specified = (operations: readonly Operation[]) =>
    [...new Set(operations.map(([each]) => each.replace(/<[\w-]+>/g, '<>')))].sort();
  expect([userOperations.length, paymentOperations.length]).toEqual([6, 27]);
  expect(served('users')).toEqual(specified(userOperations));
  expect(served('payments')).toEqual(specified(paymentOperations));
});
