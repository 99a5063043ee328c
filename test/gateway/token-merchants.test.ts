import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  getNamedType,
  isInputObjectType,
} from 'graphql';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { schema } from '../../src/gateway/schema.ts';
import type { Answer } from '../support/ask.ts';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { rest } from '../support/rest.ts';
import { fastSync, type Stack, startGateway, startStack } from '../support/start-stack.ts';
import { openTestReplica } from '../support/test-replica.ts';
import { signToken, tokenSettings } from '../support/token.ts';

let stack: Stack;
let gateway: Awaited<ReturnType<typeof startGateway>>;
/** Ids of one merchant's records, by what they are. */
type Ids = Readonly<Record<string, string>>;
let own: Ids;
let foreign: Ids;

beforeAll(async () => {
  stack = await startStack();
  const { usersUrl, paymentsUrl, posUrl, demoApp } = stack.sandbox;
  const replica = await openTestReplica(demoApp.key);
  gateway = await startGateway({
    ...tokenSettings(demoApp.key),
    services: { usersUrl, paymentsUrl, posUrl },
    ...{ replica, sync: fastSync },
  });
  await replica.ready();
  own = await findIds('EUR');
  foreign = await findIds('DKK');
  for (const ids of [own, foreign]) Object.assign(ids, await findOwnIds(ids));
});
afterAll(async () => {
  await gateway.close();
  await stack.close();
});

async function findIds(currency: string): Promise<Ids> {
  const { id: merchant, rawId } = await given(stack).merchant(currency);
  const transaction = await given(stack).successful(merchant);
  const { data } = await stack.ask(
    `query ($id: ID!) { merchant(id: $id) { name members { edges { node { id } } } 
      lines { edges { node { id } } } disputes { edges { node { id } } } fraudAlerts { edges { node { id } } } } }`,
    { id: merchant },
  );
  const { data: made } = await stack.ask(
    `mutation ($m: ID!, $t: ID!) { saveCard(input: { merchantId: $m, transactionId: $t }) {
      ... on SaveCardSuccess { card { id } } } createApp(input: {}) { ... on CreateAppSuccess { app { rawId } } } }`,
    { m: merchant, t: transaction },
  );
  const first = (list: { edges: { node: { id: string } }[] }) => list.edges[0]?.node;
  const { name, members, lines, disputes, fraudAlerts } = data.merchant;
  return {
    rawId,
    name,
    merchant,
    transaction,
    member: first(members)?.id ?? '',
    app: made.createApp.app.rawId,
    line: first(lines)?.id ?? '',
    dispute: first(disputes)?.id ?? '',
    fraudAlert: first(fraudAlerts)?.id ?? '',
    card: made.saveCard.card.id,
  };
}

/** Ids of what the gateway itself stores: an event, endpoints and a delivery. */
async function findOwnIds({ merchant = '', transaction = '' }: Ids) {
  const { paymentsUrl, demoApp } = stack.sandbox;
  await rest(paymentsUrl, demoApp.key).post(`/transactions/${transaction.slice(4)}/refunds`, {
    amount: 1,
  });
  const event = `evt_${merchant.slice(4)}-1`;
  const findEvent = async () => {
    const { data } = await ask(`{ event(id: "${event}") { kind } }`, ALL);
    expect(data.event).not.toBeNull();
  };
  // Sooner than sync would look at a merchant whose events nobody reads.
  await vi.waitFor(findEvent, { timeout: 25_000 });
  const create = `createWebhookEndpoint(input: { merchantId: "${merchant}", url: "http://127.0.0.1:9" }) {
    ... on CreateWebhookEndpointSuccess { endpoint { id } } }`;
  const { data } = await ask(`mutation { one: ${create} other: ${create} }`, ALL);
  const endpoint = data.one.endpoint.id;
  const { data: sent } = await ask(
    `mutation { sendTestWebhook(input: { id: "${endpoint}" }) {
      ... on SendTestWebhookSuccess { delivery { id } } } }`,
    ALL,
  );
  const delivery = sent.sendTestWebhook.delivery.id;
  return { event, endpoint, spareEndpoint: data.other.endpoint.id, delivery };
}

/** A token for all merchants. */
const ALL = { merchants: '*' };

const ask = async (query: string, claims: object = { merchants: [own.rawId] }): Promise<Answer> =>
  gateway.ask(query, {}, await signToken({ ...claims }));

const amount = 'amount: { minorUnits: 1, currency: "EUR" }, idempotencyKey: "$key"';
const result = '{ __typename ... on MutationError { code message path } }';

/**
 * Operations by the field and the argument that takes an id. `$own…` stands for an id of the
 * caller's merchant, and `$…` for one that is not.
 */
const operations: Readonly<Record<string, string>> = {
  'Query.card id': '{ card(id: "$card") { bin } }',
  'Query.dispute id': '{ dispute(id: "$dispute") { rawId } }',
  'Query.event id': '{ event(id: "$event") { kind } }',
  'Query.fraudAlert id': '{ fraudAlert(id: "$fraudAlert") { rawId } }',
  'Query.line id': '{ line(id: "$line") { rawId } }',
  'Query.merchant id': '{ merchant(id: "$merchant") { name } }',
  'Query.moneyOperation merchantId':
    '{ moneyOperation(merchantId: "$merchant", idempotencyKey: "$knownKey") { status } }',
  'Query.node id':
    '{ a: node(id: "$merchant") { id } b: node(id: "$transaction") { id } c: node(id: "$member") { id } d: node(id: "$line") { id } e: node(id: "$event") { id } f: node(id: "$endpoint") { id } g: node(id: "$delivery") { id } }',
  'Query.nodes ids':
    '{ nodes(ids: ["$merchant", "$transaction", "$card", "$dispute", "$member"]) { id } }',
  'Query.transaction id': '{ transaction(id: "$transaction") { rawId } }',
  'Query.transactions merchantIds':
    '{ transactions(merchantIds: ["$merchant"]) { totalCount edges { node { id } } } }',
  'Merchant.disputes transactionId':
    '{ merchant(id: "$ownMerchant") { disputes(transactionId: "$transaction") { edges { cursor } } } }',
  'Merchant.disputes filter.transactionId':
    '{ merchant(id: "$ownMerchant") { disputes(filter: { transactionId: "$transaction" }) { edges { cursor } } } }',
  'Merchant.lines filter.transactionId':
    '{ merchant(id: "$ownMerchant") { lines(filter: { transactionId: "$transaction" }) { edges { cursor } } } }',
  'Merchant.fraudAlerts transactionId':
    '{ merchant(id: "$ownMerchant") { fraudAlerts(transactionId: "$transaction") { edges { cursor } } } }',
  'Mutation.addMerchantApp input.merchantId': `mutation { addMerchantApp(input: { merchantId: "$merchant", appId: "$ownApp" }) ${result} }`,
  'Mutation.captureTransaction input.transactionId': `mutation { captureTransaction(input: { transactionId: "$transaction", ${amount} }) ${result} }`,
  'Mutation.createTransaction input.merchantId': `mutation { createTransaction(input: { merchantId: "$merchant", source: { cardId: "$ownCard" }, ${amount} }) ${result} }`,
  'Mutation.createTransaction input.source.cardId': `mutation { createTransaction(input: { merchantId: "$ownMerchant", source: { cardId: "$card" }, ${amount} }) ${result} }`,
  'Mutation.createTransaction input.source.transactionId': `mutation { createTransaction(input: { merchantId: "$ownMerchant", source: { transactionId: "$transaction" }, ${amount} }) ${result} }`,
  'Mutation.inviteMerchantMember input.merchantId': `mutation { inviteMerchantMember(input: { merchantId: "$merchant", email: "a@b.example" }) ${result} }`,
  'Mutation.refundTransaction input.transactionId': `mutation { refundTransaction(input: { transactionId: "$transaction", ${amount} }) ${result} }`,
  'Mutation.revokeMerchantApp input.merchantId': `mutation { revokeMerchantApp(input: { merchantId: "$merchant", appId: "$app" }) ${result} }`,
  'Mutation.revokeMerchantMember input.merchantId': `mutation { revokeMerchantMember(input: { merchantId: "$merchant", memberId: "$member" }) ${result} }`,
  'Mutation.saveCard input.merchantId': `mutation { saveCard(input: { merchantId: "$merchant", transactionId: "$ownTransaction" }) ${result} }`,
  'Mutation.saveCard input.transactionId': `mutation { saveCard(input: { merchantId: "$ownMerchant", transactionId: "$transaction" }) ${result} }`,
  'Mutation.updateMerchant input.merchantId': `mutation { updateMerchant(input: { merchantId: "$merchant", name: "Taken" }) ${result} }`,
  'Mutation.createWebhookEndpoint input.merchantId': `mutation { createWebhookEndpoint(input: { merchantId: "$merchant", url: "http://127.0.0.1:9" }) ${result} }`,
  'Mutation.updateWebhookEndpoint input.id': `mutation { updateWebhookEndpoint(input: { id: "$endpoint", enabled: false }) ${result} }`,
  'Mutation.rotateWebhookSecret input.id': `mutation { rotateWebhookSecret(input: { id: "$endpoint" }) ${result} }`,
  'Mutation.sendTestWebhook input.id': `mutation { sendTestWebhook(input: { id: "$endpoint" }) ${result} }`,
  'Mutation.resendWebhookDelivery input.id': `mutation { resendWebhookDelivery(input: { id: "$delivery" }) ${result} }`,
  'Mutation.deleteWebhookEndpoint input.id': `mutation { deleteWebhookEndpoint(input: { id: "$spareEndpoint" }) ${result} }`,
  'Mutation.voidTransaction input.transactionId': `mutation { voidTransaction(input: { transactionId: "$transaction", ${amount} }) ${result} }`,
};

/** Arguments that take an id of something that belongs to no merchant. */
const withoutMerchant = new Set([
  'Query.user id',
  // In `test/replica/subscriptions.test.ts`.
  'Subscription.events merchantIds',
  'Mutation.deleteUser input.userId',
  'Mutation.replaceUser input.userId',
  'Mutation.updateUser input.userId',
  // Apps and members count only together with the merchant, which has a row of its own.
  'Mutation.addMerchantApp input.appId',
  'Mutation.revokeMerchantApp input.appId',
  'Mutation.revokeMerchantMember input.memberId',
]);

const argumentsWithIds = Object.values(schema.getTypeMap()).flatMap((type) =>
  'getFields' in type && !isInputObjectType(type)
    ? Object.values<GraphQLField<unknown, unknown>>(type.getFields() as never).flatMap((field) =>
        (field.args ?? []).flatMap(pathsOfIds).map((path) => `${type.name}.${field.name} ${path}`),
      )
    : [],
);

function pathsOfIds({ name, type }: GraphQLArgument | GraphQLInputField): string[] {
  const named = getNamedType(type);
  if (named.name === 'ID') return [name];
  if (!isInputObjectType(named)) return [];
  return Object.values(named.getFields())
    .flatMap(pathsOfIds)
    .map((path) => `${name}.${path}`);
}

/** Puts ids into an operation. */
function fill(operation: string, others: Ids): string {
  return operation
    .replaceAll('$key', newKey())
    .replaceAll(/\$own([A-Z])(\w+)/g, (_all, first, rest) => own[first.toLowerCase() + rest] ?? '')
    .replaceAll(/\$(\w+)/g, (_all, name) => others[name] ?? '');
}

/** Ids of the same form that do not exist. */
function unknownIds(): Ids {
  const unknown = (id: string) => id.replace(/[A-Za-z0-9]{6}$/, 'zzzzzz');
  const ids = Object.entries(foreign).map(([name, id]) => [name, unknown(id)]);
  // The id of a member begins with that of its merchant.
  const { merchant, member } = { ...foreign, ...Object.fromEntries(ids) };
  const rawId = merchant.slice(4);
  const own = (id = '') => id.replace(/_[A-Za-z0-9]+-/, `_${rawId}-`);
  const { event, endpoint, spareEndpoint, delivery } = foreign;
  return {
    ...Object.fromEntries(ids),
    member: `mbr_${rawId}.${member.split('.')[1]}`,
    ...{ event: own(event), endpoint: own(endpoint) },
    ...{ spareEndpoint: own(spareEndpoint), delivery: own(delivery) },
  };
}

test.each([
  ['the id of the graph', (id: string) => [`mer_${id}`]],
  ['digits in upper case', (id: string) => [id.toUpperCase()]],
  ['both', (id: string) => `mer_${id.toUpperCase()}`],
])('a claim names a merchant with %s', async (_what, claimOf) => {
  const { data, errors } = await ask('{ merchants { edges { node { rawId } } } }', {
    merchants: claimOf(own.rawId ?? ''),
  });
  expect(errors).toBeUndefined();
  expect(data.merchants.edges).toEqual([{ node: { rawId: own.rawId } }]);
});

test('every argument that takes an id is tried with another merchant', () => {
  const tried = [...Object.keys(operations), ...withoutMerchant];
  expect(tried.sort()).toEqual(argumentsWithIds.sort());
});

test.each(Object.keys(operations))(
  'with another merchant, %s answers as if there were no such record',
  async (name) => {
    const operation = operations[name] ?? '';
    const knownKey = newKey();
    stack.calls.length = 0;
    const answer = await ask(fill(operation, { ...foreign, knownKey }));
    const unknown = await ask(fill(operation, { ...unknownIds(), knownKey }));
    const shown = (one: Answer, ids: Ids) =>
      Object.values(ids).reduce((text, id) => text.replaceAll(id, '<id>'), JSON.stringify(one));
    expect(shown(answer, foreign)).toBe(shown(unknown, unknownIds()));
    expect(stack.calls.filter((call) => !call.startsWith('GET'))).toEqual([]);
    expect(JSON.stringify(answer.data)).not.toContain(foreign.name);
    if (name.startsWith('Mutation')) {
      expect(Object.values(answer.data)).toMatchObject([{ code: 'NOT_FOUND' }]);
    }
  },
);

test.each([
  'Mutation.captureTransaction input.transactionId',
  'Mutation.createTransaction input.merchantId',
])('without the scope to write, %s stores no operation', async (name) => {
  const knownKey = newKey();
  const operation = fill((operations[name] ?? '').replace('$key', knownKey), { ...own, knownKey });
  const { data } = await ask(operation, { merchants: [own.rawId], scope: 'payments:read' });
  expect(Object.values(data)).toEqual([
    {
      __typename: 'RequestError',
      code: 'FORBIDDEN',
      message: 'The claim `scope` of the token does not contain the scope `payments:write`.',
      path: null,
    },
  ]);
  const query = operations['Query.moneyOperation merchantId'] ?? '';
  const found = await ask(fill(query, { ...own, knownKey }));
  expect(found.data).toEqual({ moneyOperation: null });
});

test.each(Object.keys(operations))(
  'with a merchant of the token, %s finds the record',
  async (name) => {
    const operation = fill(operations[name] ?? '', { ...own, knownKey: newKey() });
    const { data, errors } = await ask(operation.replace('"Taken"', `"${own.name}"`));
    expect(errors).toBeUndefined();
    // There is no operation with this key.
    if (name !== 'Query.moneyOperation merchantId')
      expect(JSON.stringify(data)).not.toMatch(/null|NOT_FOUND|FORBIDDEN/);
  },
);
