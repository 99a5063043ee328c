import { expect, onTestFinished, test } from 'vitest';
import { createMemoryStore } from '../money/support/memory-store.ts';
import { patientStore } from '../support/patience.ts';
import { startGateway } from '../support/start-stack.ts';
import { type StubAnswer, startStubService } from '../support/stub-service.ts';
import { signToken, tokenSettings } from '../support/token.ts';

/** A gateway that accepts tokens, in front of a payments service that may break its promises. */
async function gatewayBefore(script: Record<string, StubAnswer>) {
  const payments = await startStubService({
    'GET /me': { json: { identity: { id: 'a1' } } },
    ...Object.fromEntries(
      ['m1', 'm2', 'm3'].map((id) => [
        `GET /merchants/${id}`,
        { json: { merchant: { id, name: id } } },
      ]),
    ),
    ...script,
  });
  const reports: string[] = [];
  const gateway = await startGateway({
    ...tokenSettings('key-of-the-gateway'),
    services: {
      usersUrl: 'http://127.0.0.1:1',
      paymentsUrl: payments.url,
      posUrl: 'http://127.0.0.1:1',
    },
    store: createMemoryStore(Date.now, patientStore.leaseMs),
    report: (message) => reports.push(message),
  });
  onTestFinished(() => payments.close());
  onTestFinished(() => gateway.close());
  /** `m1` is the merchant of the token, unless a claim is given. It can be undefined. */
  const ask = async (query: string, ...given: unknown[]) => {
    const merchants = given.length === 0 ? ['m1'] : given[0];
    return gateway.ask(query, {}, await signToken({ merchants }));
  };
  return { ask, payments, reports };
}

const SECRET = { id: 'SECRET', amount: 1, currency: 'EUR' };

test.each<[string, string, string]>([
  ['a transaction', 'GET /transactions/x1', '{ transaction(id: "x1") { rawId } }'],
  ['a line', 'GET /lines/x1', '{ line(id: "x1") { rawId } }'],
  ['a dispute', 'GET /disputes/x1', '{ dispute(id: "x1") { rawId } }'],
])('%s that does not name its merchant is not shown', async (_what, route, query) => {
  for (const merchantId of [undefined, null, 7, ['m1']]) {
    const { ask } = await gatewayBefore({ [route]: { json: { ...SECRET, merchantId } } });
    const answer = await ask(query);
    expect(answer.errors?.[0]?.extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
    expect(JSON.stringify(answer)).not.toContain('SECRET');
  }
});

test.each<[string, string, string, boolean]>([
  [
    'transactions',
    'GET /merchants/m1/transactions',
    'transactions { edges { node { rawId } } }',
    true,
  ],
  ['lines', 'GET /merchants/m1/lines', 'lines { edges { node { rawId } } }', true],
  ['disputes', 'GET /disputes', 'disputes { edges { node { rawId } } }', false],
  ['fraud alerts', 'GET /frauds', 'fraudAlerts { edges { node { rawId } } }', false],
])(
  'a list of %s that contains records of another merchant is not shown',
  async (_what, route, field, maybeUnnamed) => {
    const own = { ...SECRET, merchantId: 'm1' };
    const shows = async (item: object) => {
      const { ask } = await gatewayBefore({ [route]: { json: [own, { ...item, id: 'SECRET2' }] } });
      const { data } = await ask(`{ merchant(id: "m1") { ${field} } }`);
      return JSON.stringify(data).includes('SECRET');
    };
    expect(await shows(own)).toBe(true);
    expect(await shows({ ...SECRET, merchantId: 'm2' })).toBe(false);
    expect(await shows(SECRET)).toBe(maybeUnnamed);
  },
);

test('the merchants of a token are listed, in the order of its claim and page by page', async () => {
  const { ask, payments } = await gatewayBefore({});
  const names = async (args: string, merchants: unknown) => {
    const { data, errors } = await ask(
      `{ merchants(${args}) { edges { cursor node { name } } pageInfo { hasNextPage hasPreviousPage endCursor } } }`,
      merchants,
    );
    expect(errors).toBeUndefined();
    return {
      names: data.merchants.edges.map(({ node }: { node: { name: string } }) => node.name),
      ...data.merchants.pageInfo,
    };
  };
  const claim = ['m3', 'gone', 'm1', 'm2'];
  const first = await names('first: 2', claim);
  expect(first).toMatchObject({ names: ['m3', 'm1'], hasNextPage: true, hasPreviousPage: false });
  expect(await names(`first: 2, after: "${first.endCursor}"`, claim)).toMatchObject({
    names: ['m2'],
    hasNextPage: false,
  });
  const { endCursor } = await names('first: 3', claim);
  expect(await names(`last: 1, before: "${endCursor}"`, claim)).toMatchObject({ names: ['m1'] });
  expect(await names(`first: 2, after: "${first.endCursor}"`, ['m2'])).toMatchObject({ names: [] });
  expect(await names('first: 5', [])).toMatchObject({ names: [] });
  expect(await names('first: 5', '')).toMatchObject({ names: [] });
  expect(await names('first: 5', ' m3  m1')).toMatchObject({ names: ['m3', 'm1'] });
  expect(await names('first: 5', ['mer_m2', 'm1'])).toMatchObject({ names: ['m2', 'm1'] });
  expect(payments.requests).not.toContain('GET /identities/a1/merchants');
});

test.each([
  [undefined],
  [null],
  [7],
  [{ ids: ['m1'] }],
  [['*']],
  [['m1', '*']],
  ['m1 *'],
  ['m1,m2'],
  [['m1', 7]],
  [['m1', '']],
  [['mer_']],
  [['m1 m2']],
  [['m1', '../me']],
])('a token whose claim for merchants is %j is not accepted', async (merchants) => {
  const { ask, payments } = await gatewayBefore({});
  const { data, errors } = await ask('{ merchants { edges { node { name } } } }', merchants);
  expect(data).toEqual({ merchants: null });
  expect(errors).toMatchObject([
    {
      message:
        'The claim `merchants` of the token is missing or not valid. It must contain merchant ids, as an array or a space-separated string, or the string `*` for all merchants.',
      extensions: { code: 'UNAUTHENTICATED' },
    },
  ]);
  expect(payments.requests).toEqual([]);
});

test('a token for all merchants sees what the app of the gateway sees', async () => {
  const { ask } = await gatewayBefore({
    'GET /identities/a1/merchants': { json: [{ id: 'm7', name: 'm7' }] },
    'GET /transactions/x1': { json: { ...SECRET, merchantId: 'm7' } },
  });
  const { data } = await ask(
    '{ merchants { edges { node { name } } } transaction(id: "x1") { rawId } }',
    '*',
  );
  expect(data).toEqual({
    merchants: { edges: [{ node: { name: 'm7' } }] },
    transaction: { rawId: 'SECRET' },
  });
});

const NEW_MERCHANT = `mutation { createMerchant(input: { fundingCurrency: "EUR", email: "a@b.example", website: "https://b.example",
  statementDescriptor: "B", company: { country: "DK" } }) { __typename ... on MutationError { code message } } }`;

test('a token for certain merchants cannot create one', async () => {
  const { ask, payments } = await gatewayBefore({});
  const { data, errors } = await ask(NEW_MERCHANT);
  expect(errors).toBeUndefined();
  expect(data.createMerchant).toEqual({
    __typename: 'RequestError',
    code: 'FORBIDDEN',
    message: 'The token is for specific merchants, so it cannot create one.',
  });
  expect(payments.requests).toEqual([]);
});

test('an answer about another record than the one that was asked for is not believed', async () => {
  const { ask, payments } = await gatewayBefore({
    'GET /merchants/m1': { json: { merchant: { id: 'm2', name: 'SECRET' } } },
    'GET /transactions/x1': { json: { ...SECRET, merchantId: 'm1' } },
    'GET /merchants/m3': { json: { merchant: { id: 'm3' } } },
  });
  const { data, errors } = await ask(
    '{ merchant(id: "m1") { rawId name } merchants { edges { node { name } } } transaction(id: "x1") { rawId } }',
  );
  expect(data).toEqual({ merchant: null, merchants: null, transaction: null });
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(
    Array(3).fill('UPSTREAM_BAD_RESPONSE'),
  );
  await ask(
    'mutation { saveCard(input: { merchantId: "m3", transactionId: "x1" }) { __typename } }',
    ['m1', 'm3'],
  );
  expect(payments.requests.filter((request) => request.startsWith('POST'))).toEqual([]);
});

test('what the app of the gateway may not read does not exist', async () => {
  const forbidden = { status: 403, json: {} };
  const { ask } = await gatewayBefore({
    'GET /merchants/m2': forbidden,
    'GET /transactions/x1': forbidden,
  });
  const { data, errors } = await ask(
    '{ transaction(id: "x1") { rawId } merchants { edges { node { name } } } }',
    ['m1', 'm2', 'm3'],
  );
  expect(errors).toBeUndefined();
  expect(data.transaction).toBeNull();
  expect(JSON.stringify(data.merchants)).toContain('m3');
});

test('merchants can be filtered, also if few of the claim match', async () => {
  const ids = Array.from({ length: 60 }, (_, index) => `n${index}`);
  const { ask } = await gatewayBefore(
    Object.fromEntries(
      ids.map((id) => [
        `GET /merchants/${id}`,
        { json: { merchant: { id, name: id, test: id === 'n59' } } },
      ]),
    ),
  );
  const { data, errors } = await ask(
    '{ merchants(first: 1, test: true) { edges { node { name } } } }',
    ids,
  );
  expect(errors).toBeUndefined();
  expect(data.merchants.edges).toEqual([{ node: { name: 'n59' } }]);
});

test('a transaction that was listed is not read again for its disputes', async () => {
  const { ask, payments } = await gatewayBefore({
    'GET /merchants/m1/transactions': { json: [{ ...SECRET, merchantId: 'm1' }] },
    'GET /disputes': { json: [] },
    'GET /frauds': { json: [] },
  });
  await ask(
    '{ merchant(id: "m1") { transactions { edges { node { disputes { edges { cursor } } } } } } }',
  );
  expect(payments.requests).not.toContain('GET /transactions/SECRET');
  payments.requests.length = 0;
  const lists =
    'disputes(transactionId: "x1") { edges { cursor } } fraudAlerts(transactionId: "x1") { edges { cursor } }';
  await ask(`{ merchant(id: "m1") { ${lists} } }`);
  expect(payments.requests.filter((request) => request === 'GET /transactions/x1')).toHaveLength(1);
});

test('if the service rejects the key of the gateway, a capture was not sent', async () => {
  const transaction = {
    ...{ id: 'x1', merchantId: 'm1', currency: 'EUR', amount: 9, pendingAmount: 9 },
    ...{ successful: true, trail: [] },
  };
  const { ask, reports } = await gatewayBefore({
    'GET /transactions/x1': { json: { transaction } },
    'POST /transactions/x1/captures': { status: 401, json: {} },
  });
  const { data } = await ask(
    `mutation { c: captureTransaction(input: { transactionId: "x1", idempotencyKey: "k",
      amount: { minorUnits: 9, currency: "EUR" } }) { ... on MutationError { code message } } }`,
  );
  expect(data.c).toMatchObject({ code: 'NOT_SENT' });
  expect(data.c.message).not.toContain('app key');
  expect(reports).toHaveLength(1);
});

test.each(['*', ['m1']])(
  'a token for %j cannot revoke the app of the gateway',
  async (merchants) => {
    const { ask, payments } = await gatewayBefore({
      'DELETE /merchants/m1/apps/a2': { status: 204 },
    });
    const revoke = async (appId: string) => {
      const { data } = await ask(
        `mutation { r: revokeMerchantApp(input: { merchantId: "m1", appId: "${appId}" }) { __typename ... on MutationError { code } } }`,
        merchants,
      );
      return data.r;
    };
    expect(await revoke('a1')).toEqual({ __typename: 'RequestError', code: 'FORBIDDEN' });
    expect(payments.requests).not.toContain('DELETE /merchants/m1/apps/a1');
    expect(await revoke('a2')).toEqual({ __typename: 'RevokeMerchantAppSuccess' });
  },
);

test('if the service rejects the key of the gateway, fields fail as unavailable, and the operator is told once', async () => {
  const { ask, reports } = await gatewayBefore({ 'GET /merchants/m1': { status: 401, json: {} } });
  for (let time = 0; time < 2; time++) {
    const { errors } = await ask('{ merchant(id: "m1") { name } }');
    expect(errors?.[0]?.extensions).toEqual({ code: 'UPSTREAM_UNAVAILABLE', service: 'payments' });
  }
  const { data } = await ask(
    'mutation { u: updateMerchant(input: { merchantId: "m1", name: "A" }) { ... on MutationError { code message } } }',
  );
  expect(data.u).toEqual({
    code: 'UPSTREAM_UNAVAILABLE',
    message: 'The payments service is not available. Try again later.',
  });
  expect(reports).toEqual(['PAYMENTS_API_KEY: the payments service does not accept this key']);
});
