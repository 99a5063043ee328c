import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { demoApp, newApp, openShop, type Shop, smallestMerchant } from './shop.ts';

const id = expect.stringMatching(/^[0-9a-f]{24}$/);
const any = expect.any(String);
const has = (fields: object) => expect.objectContaining(fields);
const listOf = (element: object) => expect.arrayContaining([has({ id, ...element })]);
const nothing = undefined;

const person = { name: 'Ada Lund', email: 'ada@example.com', address: 'Kajen 4' };
const payment = { currency: 'EUR', amount: 100 };

/** An operation as its specification has it; `<…>` in paths, queries and bodies is filled in. */
type Operation = readonly [
  operation: string,
  promise: string,
  sent: { readonly query?: string; readonly body?: object },
  status: number,
  answer: unknown,
];

const userOperations: readonly Operation[] = [
  ['GET /users', 'lists all records', {}, 200, expect.arrayContaining([has({ id: any })])],
  ['GET /users/<id>', 'answers the record', {}, 200, { id: any, ...person }],
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
    'changes what is given',
    { body: { address: '' } },
    200,
    { id: any, ...person, address: '' },
  ],
  ['DELETE /users/<id>', 'removes the record', {}, 204, nothing],
];

const page = { query: '?limit=5' };
const ofMerchant = { query: '?limit=5&filter[merchantId]=<merchants/<merchant-id>>' };

const paymentOperations: readonly Operation[] = [
  [
    'POST /apps',
    'creates an app',
    { body: { name: 'Till' } },
    201,
    { app: { id, name: 'Till', key: any } },
  ],
  ['GET /me', 'tells who asks', {}, 200, { identity: { id, name: 'Demo', created: any } }],
  [
    'POST /merchants',
    'creates a merchant',
    { body: smallestMerchant },
    201,
    { merchant: has({ id, key: any, ...smallestMerchant, company: has({ country: 'DE' }) }) },
  ],
  ['PUT /merchants/<merchant-id>', 'updates it', { body: { name: 'New' } }, 204, nothing],
  [
    'GET /identities/<app-id>/merchants',
    'lists the merchants of the app',
    page,
    200,
    listOf({ key: any, currency: any, test: true }),
  ],
  ['GET /merchants/<merchant-id>', 'answers it', {}, 200, { merchant: has({ id, key: any }) }],
  [
    'POST /merchants/<merchant-id>/users',
    'invites a person',
    { body: { email: 'new@example.com' } },
    201,
    { isMember: false },
  ],
  ['DELETE /merchants/<merchant-id>/users/<user-id>', 'revokes a member', {}, 204, nothing],
  ['GET /merchants/<merchant-id>/users', 'lists members', page, 200, listOf({ email: any })],
  [
    'POST /merchants/<merchant-id>/apps',
    'adds an app',
    { body: { appId: '<apps/<app-id>>' } },
    201,
    nothing,
  ],
  ['DELETE /merchants/<merchant-id>/apps/<app-id>', 'revokes an app', {}, 204, nothing],
  ['GET /merchants/<merchant-id>/apps', 'lists apps', page, 200, listOf({ created: any })],
  [
    'GET /merchants/<merchant-id>/lines',
    'lists lines',
    page,
    200,
    listOf({ balance: expect.any(Number), fee: expect.any(Number) }),
  ],
  ['GET /lines/<line-id>', 'answers the line, flat', {}, 200, has({ id, merchantId: id })],
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
    page,
    200,
    listOf({ amount: expect.any(Number), trail: expect.any(Array) }),
  ],
  [
    'GET /transactions/<transaction-id>',
    'answers it',
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
    'answers it',
    {},
    200,
    { card: has({ id, bin: '410000', last4: '0000', scheme: 'visa' }) },
  ],
  ['GET /disputes', 'lists disputes', ofMerchant, 200, listOf({ transactionId: id, due: any })],
  ['GET /disputes/<dispute-id>', 'answers it', {}, 200, { dispute: has({ id, due: any }) }],
  ['GET /frauds', 'lists fraud alerts', ofMerchant, 200, listOf({ transactionId: id, reason: 1 })],
  ['GET /frauds/<fraud-id>', 'answers it', {}, 200, { fraud: has({ id, reason: 1 }) }],
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

/** What stands behind the placeholders, fresh for every call where it could be used up. */
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

/** Puts an id in place of every placeholder; in `<…>` of its own, in place of the collection too. */
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
])('%s: %s %s', async (service, operation, _promise, { query = '', body }, status, answer) => {
  const [method = '', path = ''] = operation.split(' ');
  const caller = service === 'users' ? rest(sandbox.usersUrl) : demoApp(sandbox);
  const sent =
    body === undefined
      ? {}
      : {
          body: await fill(JSON.stringify(body)),
          headers: { 'content-type': 'application/json' },
        };
  const answered = await caller.send(await fill(path + query), { method, ...sent });
  expect(answered.body).toEqual(answer);
  expect(answered.status).toBe(status);
});

test('these six and twenty-seven are all that the services serve', () => {
  const served = (service: 'users' | 'payments') =>
    sandbox.operations[service].map((each) => each.replace(/:\w+/g, '<>')).sort();
  const specified = (operations: readonly Operation[]) =>
    [...new Set(operations.map(([each]) => each.replace(/<[\w-]+>/g, '<>')))].sort();
  expect([userOperations.length, paymentOperations.length]).toEqual([6, 27]);
  expect(served('users')).toEqual(specified(userOperations));
  expect(served('payments')).toEqual(specified(paymentOperations));
});
