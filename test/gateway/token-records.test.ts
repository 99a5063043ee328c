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
  const ask = async (query: string, merchants: unknown = ['m1']) =>
    gateway.ask(query, {}, await signToken({ merchants }));
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
  expect(await names('first: 5', [])).toMatchObject({ names: [] });
  expect(await names('first: 5', ['../me', 'm1 m2', 7])).toMatchObject({ names: [] });
  expect(payments.requests).not.toContain('GET /identities/a1/merchants');
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
  descriptor: "B", company: { country: "DK" } }) { __typename ... on MutationError { code message } } }`;

test('a token for certain merchants cannot create one', async () => {
  const { ask, payments } = await gatewayBefore({});
  const { data, errors } = await ask(NEW_MERCHANT);
  expect(errors).toBeUndefined();
  expect(data.createMerchant).toEqual({
    __typename: 'RequestError',
    code: 'FORBIDDEN',
    message: 'The token is for certain merchants, so it cannot create one.',
  });
  expect(payments.requests).toEqual([]);
});

test('if the service rejects the key of the gateway, fields fail as unavailable, and the operator is told once', async () => {
  const { ask, reports } = await gatewayBefore({ 'GET /merchants/m1': { status: 401, json: {} } });
  for (let time = 0; time < 2; time++) {
    const { errors } = await ask('{ merchant(id: "m1") { name } }');
    expect(errors?.[0]?.extensions).toEqual({ code: 'UPSTREAM_UNAVAILABLE', service: 'payments' });
  }
  expect(reports).toEqual(['PAYMENTS_API_KEY: the payments service does not accept this key']);
});
