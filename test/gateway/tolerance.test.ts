import { afterEach, describe, expect, test } from 'vitest';
import { startGateway } from '../support/start-stack.ts';
import { type StubAnswer, startStubService } from '../support/stub-service.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A gateway in front of services that answer in ways the sandbox never does. */
async function gatewayBefore(
  payments: Record<string, StubAnswer>,
  users: Record<string, StubAnswer> = {},
) {
  const me: StubAnswer = { json: { id: 'a1' } };
  const paymentsService = await startStubService({ 'GET /me': me, ...payments });
  const usersService = await startStubService(users);
  const gateway = await startGateway({
    services: {
      usersUrl: usersService.url,
      paymentsUrl: paymentsService.url,
      posUrl: 'http://127.0.0.1:1',
    },
    usersAccess: '*',
  });
  closers.push(paymentsService.close, usersService.close, gateway.close);
  return {
    ask: (query: string) => gateway.ask(query, {}, 'key'),
    requests: paymentsService.requests,
    userRequests: usersService.requests,
  };
}

const full = {
  id: 't1',
  merchantId: 'm1',
  test: true,
  created: '2026-06-01T08:00:00.000Z',
  currency: 'EUR',
  amount: 100,
  pendingAmount: 100,
  capturedAmount: 0,
  refundedAmount: 0,
  voidedAmount: 0,
  disputedAmount: 0,
  recurring: false,
  successful: true,
  error: false,
  trail: [],
};

/** The fields of a transaction that the service sends with `fields`, or the codes of the errors. */
async function shown(fields: object, selection: string) {
  const transaction = { ...full, ...fields };
  const { ask } = await gatewayBefore({
    'GET /transactions/t1': { json: { transaction } },
    'GET /merchants/m1': { json: { merchant: { id: 'm1', currency: 'DKK' } } },
  });
  const { data, errors } = await ask(`{ transaction(id: "t1") { ${selection} } }`);
  return errors === undefined ? data.transaction : errors.map(({ extensions }) => extensions.code);
}

const BAD = ['UPSTREAM_BAD_RESPONSE'];

const LEAP_DAY = { createdAt: '2028-02-29T00:00:00.000Z' };

/** What the service sends, the selection, and what the gateway returns. */
type Case = [what: string, fields: object, selection: string, wanted: unknown];

const fieldCases: Case[] = [
  [
    'an unknown scheme',
    { card: { scheme: 'amex' } },
    'card { scheme schemeName }',
    { card: { scheme: 'OTHER', schemeName: 'amex' } },
  ],
  [
    'a scheme in capitals',
    { card: { scheme: 'VISA' } },
    'card { scheme }',
    { card: { scheme: 'VISA' } },
  ],
  [
    'a card without fields',
    { card: {} },
    'card { bin scheme expiry }',
    { card: { bin: null, scheme: null, expiry: null } },
  ],
  ['no card', { card: null }, 'card { bin }', { card: null }],
  [
    'a date without an offset',
    { created: '2026-06-01T08:00:00' },
    'createdAt',
    { createdAt: '2026-06-01T08:00:00.000Z' },
  ],
  [
    'a date with another offset',
    { created: '2026-06-01T10:00:00+02:00' },
    'createdAt',
    { createdAt: '2026-06-01T08:00:00.000Z' },
  ],
  [
    'a date in epoch seconds',
    { created: 1_780_300_800 },
    'createdAt',
    { createdAt: '2026-06-01T08:00:00.000Z' },
  ],
  [
    'a date in epoch milliseconds',
    { created: 1_780_300_800_000 },
    'createdAt',
    { createdAt: '2026-06-01T08:00:00.000Z' },
  ],
  ['a date as prose', { created: 'June 1' }, 'createdAt', BAD],
  ['29 February of a leap year', { created: '2028-02-29' }, 'createdAt', LEAP_DAY],
  ['29 February of another year', { created: '2026-02-29T08:00:00Z' }, 'createdAt', BAD],
  ['31 April', { created: '2026-04-31' }, 'createdAt', BAD],
  ['day 99 of month 99', { created: '2026-99-99' }, 'createdAt', BAD],
  ['a date in the year 0', { created: '0000-06-01T08:00:00Z' }, 'createdAt', BAD],
  ['a date in the year 275760', { created: 8.64e15 }, 'createdAt', BAD],
  ['a currency in lower case', { currency: 'eur' }, 'amount { currency }', BAD],
  ['the name of a currency', { currency: 'Euro' }, 'amount { minorUnits }', BAD],
  [
    'an amount as text',
    { amount: '100' },
    'amount { minorUnits }',
    { amount: { minorUnits: 100 } },
  ],
  ['an amount with a fraction', { amount: 99.5 }, 'amount { minorUnits }', BAD],
  ['an amount above 2^53-1', { amount: 2 ** 53 }, 'amount { minorUnits }', BAD],
  [
    'a currency that is not published',
    { currency: 'XXX' },
    'amount { currency exponent decimal }',
    { amount: { currency: 'XXX', exponent: null, decimal: null } },
  ],
  [
    'flags as words',
    { recurring: 'yes', successful: 1 },
    'recurring successful',
    { recurring: true, successful: true },
  ],
  ['an absent flag', { recurring: undefined }, 'recurring', { recurring: false }],
  ['3-D Secure as none', { tds: 'none' }, 'threeDSecure', { threeDSecure: null }],
  ['3-D Secure as full', { tds: 'full' }, 'threeDSecure', { threeDSecure: 'FULL' }],
  ['absent custom data', { custom: undefined }, 'custom', { custom: null }],
  [
    'custom data of any shape',
    { custom: [1, { a: null }] },
    'custom',
    { custom: [1, { a: null }] },
  ],
  [
    'an error of an unknown shape',
    { error: { code: '7', text: 'No money' } },
    'error { code message client }',
    { error: { code: '7', message: 'No money', client: null } },
  ],
  ['no error', { error: null }, 'error { code }', { error: null }],
  ['an absent field that is promised', { amount: undefined }, 'amount { minorUnits }', BAD],
  ['an unknown field', { extra: { deep: 1 } }, 'successful', { successful: true }],
];

describe('a field of a transaction', () => {
  test.each(fieldCases)('%s', async (_what, fields, selection, wanted) => {
    expect(await shown(fields, selection)).toEqual(wanted);
  });
});

const entry = { amount: 10, created: '2026-06-02T00:00:00Z' };

const trailCases: Case[] = [
  [
    'under its other name',
    { trail: undefined, trails: [{ ...entry, void: true }] },
    'trail { __typename }',
    { trail: [{ __typename: 'VoidTrailEntry' }] },
  ],
  [
    'with flags that are false',
    { trail: [{ ...entry, capture: false, refund: true, dispute: null }] },
    'trail { __typename }',
    { trail: [{ __typename: 'RefundTrailEntry' }] },
  ],
  [
    'with an unknown kind',
    { trail: [{ ...entry, payout: true }] },
    'trail { __typename ... on UnknownTrailEntry { raw } }',
    { trail: [{ __typename: 'UnknownTrailEntry', raw: { ...entry, payout: true } }] },
  ],
  [
    'with an open dispute',
    { trail: [{ ...entry, dispute: { id: 'd1', won: false, lost: false } }] },
    'trail { ... on DisputeTrailEntry { outcome } }',
    { trail: [{ outcome: null }] },
  ],
  [
    'with a lost dispute',
    { trail: [{ ...entry, dispute: { id: 'd1', lost: true } }] },
    'trail { ... on DisputeTrailEntry { outcome } }',
    { trail: [{ outcome: 'LOST' }] },
  ],
  [
    'in any order',
    {
      trail: [
        { ...entry, amount: 2, created: '2026-06-03', void: true },
        { ...entry, amount: 1, capture: true },
      ],
    },
    'trail { amount { minorUnits } }',
    { trail: [{ amount: { minorUnits: 1 } }, { amount: { minorUnits: 2 } }] },
  ],
  [
    'with fees and balance in the funding currency',
    { trail: [{ ...entry, capture: true, balance: 70, fee: { flat: 1, rate: -2 } }] },
    'trail { balance { minorUnits currency } fee { flat { minorUnits currency } rate { minorUnits } raw } }',
    {
      trail: [
        {
          balance: { minorUnits: 70, currency: 'DKK' },
          fee: {
            flat: { minorUnits: 1, currency: 'DKK' },
            rate: { minorUnits: -2 },
            raw: { flat: 1, rate: -2 },
          },
        },
      ],
    },
  ],
  [
    'with a fee of an unknown shape',
    { trail: [{ ...entry, capture: true, fee: 3 }] },
    'trail { fee { flat { minorUnits } raw } balance { minorUnits } descriptor line { id } }',
    { trail: [{ fee: { flat: null, raw: 3 }, balance: null, descriptor: null, line: null }] },
  ],
];

describe('a trail', () => {
  test.each(trailCases)('%s', async (_what, fields, selection, wanted) => {
    expect(await shown(fields, selection)).toEqual(wanted);
  });

  test('determines the refundable amount, not the counter of captures', async () => {
    const trail = [
      { ...entry, amount: 60, capture: true },
      { ...entry, amount: 20, refund: true },
    ];
    const selection = 'availableActions { action maximum { minorUnits currency } }';
    for (const capturedAmount of [60, 40]) {
      expect(
        await shown({ trail, capturedAmount, refundedAmount: 20, pendingAmount: 40 }, selection),
      ).toEqual({
        availableActions: [
          { action: 'CAPTURE', maximum: { minorUnits: 40, currency: 'EUR' } },
          { action: 'REFUND', maximum: { minorUnits: 40, currency: 'EUR' } },
          { action: 'VOID', maximum: { minorUnits: 40, currency: 'EUR' } },
        ],
      });
    }
  });

  test('of a declined payment allows no action, even if its counters are not zero', async () => {
    expect(await shown({ successful: false }, 'availableActions { action }')).toEqual({
      availableActions: [],
    });
  });
});

describe('a record', () => {
  test.each<[string, unknown]>([
    ['unwrapped', full],
    ['under its name', { transaction: full }],
    ['under data', { data: full }],
    ['as the only object', { result: full, ok: true }],
    ['with a numeric id', { transaction: { ...full, id: 77 } }],
  ])('%s', async (_what, json) => {
    const { ask } = await gatewayBefore({ 'GET /transactions/t1': { json } });
    expect((await ask('{ transaction(id: "t1") { amount { minorUnits } } }')).data).toEqual({
      transaction: { amount: { minorUnits: 100 } },
    });
  });
});

const LIST =
  '{ merchant(id: "m1") { transactions(first: 2) { edges { node { rawId amount { minorUnits } } } pageInfo { hasNextPage } } } }';
const merchant: StubAnswer = { json: { merchant: { id: 'm1', currency: 'DKK' } } };
const items = [full, { ...full, id: 't2' }, { ...full, id: 't3' }];

describe('a list', () => {
  test.each<[string, unknown]>([
    ['unwrapped', items],
    ['under its plural name', { transactions: items, total: 3 }],
    ['under data', { data: items }],
    ['under items', { items }],
    ['as the only array', { page: items, next: null }],
    ['longer than the limit', [...items, { ...full, id: 't4' }]],
  ])('%s', async (_what, json) => {
    const { ask } = await gatewayBefore({
      'GET /merchants/m1': merchant,
      'GET /merchants/m1/transactions': { json },
    });
    const { data, errors } = await ask(LIST);
    expect(errors).toBeUndefined();
    const { edges, pageInfo } = data.merchant.transactions;
    expect(edges.map(({ node }: { node: { rawId: string } }) => node.rawId)).toEqual(['t1', 't2']);
    expect(pageInfo.hasNextPage).toBe(true);
  });

  test('that is missing is an error of its field', async () => {
    const { ask } = await gatewayBefore({
      'GET /merchants/m1': merchant,
      'GET /merchants/m1/transactions': { json: {} },
    });
    const { data, errors } = await ask(LIST);
    expect(data).toEqual({ merchant: { transactions: null } });
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(BAD);
  });

  test('with an element that is not a record shows the other elements', async () => {
    const json = [null, full, 'nothing', { amount: 1 }];
    const { ask } = await gatewayBefore({
      'GET /merchants/m1': merchant,
      'GET /merchants/m1/transactions': { json },
    });
    const { data, errors } = await ask(LIST.replace('first: 2', 'first: 5'));
    expect(errors).toBeUndefined();
    expect(data.merchant.transactions.edges).toHaveLength(1);
  });
});

describe('several calls for a list', () => {
  test('fetch each incomplete element once', async () => {
    const { amount: _amount, pendingAmount: _pending, ...short } = full;
    const { ask, requests } = await gatewayBefore({
      'GET /merchants/m1': merchant,
      'GET /merchants/m1/transactions': { json: [short] },
      'GET /transactions/t1': { json: full },
    });
    const { data } = await ask(LIST.replace('amount {', 'pendingAmount { minorUnits } amount {'));
    expect(data.merchant.transactions.edges[0].node).toMatchObject({ amount: { minorUnits: 100 } });
    expect(requests.filter((request) => request === 'GET /transactions/t1')).toHaveLength(1);
  });

  test('filter it if the service ignores a filter', async () => {
    const many = Array.from({ length: 6 }, (_, index) => ({
      ...full,
      id: `t${index}`,
      successful: index % 3 === 2,
    }));
    const { ask } = await gatewayBefore({
      'GET /merchants/m1': merchant,
      'GET /merchants/m1/transactions': (request, response) => {
        const query = new URL(request.url ?? '', 'http://stub').searchParams;
        const start = many.findIndex(({ id }) => id === query.get('before')) + 1;
        response.end(JSON.stringify(many.slice(start, start + Number(query.get('limit')))));
      },
    });
    const { data } = await ask(LIST.replace('first: 2', 'first: 2, successful: true'));
    const { edges, pageInfo } = data.merchant.transactions;
    expect(edges.map(({ node }: { node: { rawId: string } }) => node.rawId)).toEqual(['t2', 't5']);
    expect(pageInfo.hasNextPage).toBe(false);
  });
});

describe('a user record', () => {
  test.each<[string, object, object]>([
    [
      'with an address as an object',
      { address: { city: 'Oslo' } },
      { name: null, address: '{"city":"Oslo"}' },
    ],
    ['with only an id', {}, { name: null, address: null }],
    ['with empty text', { name: '', address: '' }, { name: null, address: null }],
  ])('%s', async (_what, fields, wanted) => {
    const { ask } = await gatewayBefore({}, { 'GET /users/u1': { json: { id: 'u1', ...fields } } });
    expect((await ask('{ user(id: "u1") { name address } }')).data).toEqual({ user: wanted });
  });

  test.each<[string, StubAnswer]>([
    ['null', { json: null }],
    ['an empty object', { json: {} }],
    ['410', { status: 410 }],
  ])('answered with %s does not exist', async (_what, answer) => {
    const { ask } = await gatewayBefore({}, { 'GET /users/u1': answer });
    expect(await ask('{ user(id: "u1") { name } }')).toEqual({ status: 200, data: { user: null } });
  });

  test.each<[string, StubAnswer]>([
    ['only an id in the body', { json: { id: 7 } }],
    [
      'only a `Location` header',
      (_request, response) => response.writeHead(201, { location: '/users/7' }).end(),
    ],
  ])('created with %s in the response is read again', async (_what, answer) => {
    const { ask } = await gatewayBefore(
      {},
      { 'POST /users': answer, 'GET /users/7': { json: { id: 7, name: 'Ada' } } },
    );
    const { data } = await ask(
      'mutation { createUser(input: { name: "Ada", email: "a@b.c", address: "" }) { ... on CreateUserSuccess { user { rawId name } } } }',
    );
    expect(data.createUser).toEqual({ user: { rawId: '7', name: 'Ada' } });
  });
});

test.each([{ isMember: 'perhaps' }, {}, ['yes']])(
  'an invitation that was sent is a success, also if the response is %j',
  async (json) => {
    const { ask } = await gatewayBefore({
      'POST /merchants/m1/users': { status: 201, json },
      'GET /merchants/m1': { json: { merchant: { id: 'm1' } } },
    });
    const { data, errors } = await ask(
      `mutation { inviteMerchantMember(input: { merchantId: "m1", email: "a@example.com" }) {
        ... on InviteMerchantMemberSuccess { isMember } ... on MutationError { code } } }`,
    );
    expect(errors).toBeUndefined();
    expect(data.inviteMerchantMember).toEqual({ isMember: false });
  },
);
