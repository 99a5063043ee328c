import { isInputObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { schema } from '../../../src/gateway/schema.ts';
import type { Answer } from '../../support/ask.ts';
import { given } from '../../support/given.ts';
import { type Stack, startGateway, startStack } from '../../support/start-stack.ts';
import { signToken, tokenSettings } from '../../support/token.ts';

/** Who asks: an app with a merchant of its own, and a token for that merchant. */
interface Caller {
  readonly url: string;
  readonly credential: string;
  ask(query: string): Promise<Answer>;
}

let stack: Stack;
let withTokens: Awaited<ReturnType<typeof startGateway>>;
const callers: Record<string, Caller> = {};
/** The merchant of the callers, which has no payments, and another one, which has. */
let own: string;
let foreign: string;
/** Every id below the other merchant. */
let foreignIds: readonly string[];
/** Filters that records of the other merchant meet, by list and field of the filter. */
type Filters = Readonly<
  Record<'transactions' | 'lines' | 'disputes' | 'moneyOperations', FieldValues>
>;
type FieldValues = Readonly<Record<string, readonly string[]>>;
let filters: Filters;

beforeAll(async () => {
  stack = await startStack();
  const { usersUrl, paymentsUrl, posUrl, demoApp } = stack.sandbox;
  const services = { usersUrl, paymentsUrl, posUrl };
  withTokens = await startGateway({ ...tokenSettings(demoApp.key), services });
  foreign = (await given(stack).merchant()).id;
  const { data: app } = await stack.ask(
    'mutation { createApp(input: {}) { ... on CreateAppSuccess { key } } }',
  );
  const { key } = app.createApp;
  const { data: made } = await stack.ask(
    `mutation { createMerchant(input: { fundingCurrency: "EUR", test: true, email: "a@b.example",
      website: "https://b.example", statementDescriptor: "B", company: { country: "DE" } }) {
      ... on CreateMerchantSuccess { merchant { id rawId } } } }`,
    {},
    key,
  );
  const { id, rawId } = made.createMerchant.merchant;
  own = id;
  // The gateway's own app, with which it reads for tokens.
  const { data: added } = await stack.ask(
    `mutation { addMerchantApp(input: { merchantId: "${id}", appId: "${demoApp.id}" }) { __typename } }`,
    {},
    key,
  );
  expect(added.addMerchantApp.__typename).toBe('AddMerchantAppSuccess');
  const token = await signToken({ merchants: [rawId] });
  Object.assign(callers, {
    'another app': {
      url: stack.url,
      credential: key,
      ask: (query: string) => stack.ask(query, {}, key),
    },
    'a token': {
      url: withTokens.url,
      credential: token,
      ask: (query: string) => withTokens.ask(query, {}, token),
    },
  });
  await readForeign();
});
afterAll(async () => {
  await withTokens?.close();
  await stack?.close();
});

async function readForeign(): Promise<void> {
  const { data } = await stack.ask(
    `{ merchant(id: "${foreign}") {
      transactions(first: 50, filter: { successful: true }) { edges { node {
        id rawId card { last4 bin scheme } custom statementDescriptor } } }
      lines(first: 50) { edges { node { id rawId } } }
      disputes(first: 50) { edges { node { id rawId } } }
    } }`,
  );
  const { transactions, lines, disputes } = data.merchant;
  const nodes = (list: { edges: { node: { id: string; rawId: string } }[] }) =>
    list.edges.map(({ node }) => node);
  foreignIds = [transactions, lines, disputes]
    .flatMap(nodes)
    .flatMap(({ id, rawId }) => [id, rawId]);
  expect(foreignIds.length).toBeGreaterThan(20);
  const { id, rawId, card, custom, statementDescriptor } = transactions.edges[0].node;
  const time = '{ from: "2020-01-01T00:00:00.000Z" }';
  const money = '{ currency: "EUR", min: -9000000, max: 9000000 }';
  filters = {
    transactions: {
      amount: [money],
      availableAction: ['[CAPTURE, REFUND, VOID]'],
      card: [
        `{ last4: "${card.last4}" }`,
        `{ bin: "${card.bin}" }`,
        `{ scheme: [${card.scheme}] }`,
      ],
      createdAt: [time],
      currency: ['["EUR"]'],
      custom: [`[{ path: ["reference"], equals: "${custom.reference}" }]`],
      disputed: ['true', 'false'],
      recurring: ['true', 'false'],
      state: ['[CAPTURED, AUTHORIZED, PARTIALLY_REFUNDED]'],
      statementDescriptor: [JSON.stringify(statementDescriptor)],
      successful: ['true'],
      text: [id, rawId, card.last4, custom.reference].map((text) => JSON.stringify(text)),
    },
    lines: {
      balanceChange: [money],
      createdAt: [time],
      kind: ['[CAPTURE, REFUND]'],
      transactionId: [JSON.stringify(id)],
    },
    disputes: {
      createdAt: [time],
      dueAt: [time],
      status: ['[OPEN, WON, LOST]'],
      transactionId: [JSON.stringify(id)],
    },
    moneyOperations: { createdAt: [time], status: ['[SUCCEEDED, UNKNOWN]'] },
  };
}

const inputs: Readonly<Record<keyof Filters, string>> = {
  transactions: 'TransactionFilter',
  lines: 'LineFilter',
  disputes: 'DisputeFilter',
  moneyOperations: 'MoneyOperationFilter',
};

/** Every list with every filter, and without one, as a field of `Merchant`. */
function lists(): { readonly field: keyof Filters; readonly filter: string }[] {
  return Object.entries<FieldValues>(filters).flatMap(([name, values]) => {
    const field = name as keyof Filters;
    const texts = Object.entries(values).flatMap(([key, some]) =>
      some.map((text) => ({ field, filter: `{ ${key}: ${text} }` })),
    );
    return [{ field, filter: '' }, ...texts];
  });
}

const argumentsOf = (filter: string) => (filter === '' ? '' : `(filter: ${filter})`);
const MONTH =
  'from: "2026-06-01T00:00:00.000Z", to: "2026-07-01T00:00:00.000Z", timeZone: "Europe/Berlin"';
const REPORT = `balanceReport(${MONTH}) { kinds { count } days { date } opening { minorUnits } }`;

function expectNothingForeign(text: string): void {
  expect(foreignIds.filter((id) => text.includes(id))).toEqual([]);
}

test('every field of every filter is tried', () => {
  for (const [field, values] of Object.entries(filters)) {
    const input = schema.getType(inputs[field as keyof Filters]);
    if (!isInputObjectType(input)) throw new Error(`${field} has no filter.`);
    expect(Object.keys(values).sort()).toEqual(Object.keys(input.getFields()).sort());
  }
});

test('the app of the other merchant finds records by each filter', async () => {
  const found = lists().filter(({ field }) => field !== 'moneyOperations');
  for (const { field, filter } of found) {
    const { data } = await stack.ask(
      `{ merchant(id: "${foreign}") { list: ${field}${argumentsOf(filter)} { edges { cursor } } } }`,
    );
    const isRare = /disputed: true|recurring: true|OPEN|dueAt/.test(filter);
    if (!isRare) expect(data.merchant.list.edges.length, filter).toBeGreaterThan(0);
  }
});

describe.each(['another app', 'a token'])('%s', (name) => {
  const caller = () => callers[name] as Caller;

  test('finds nothing of the other merchant in its own lists, totals and reports', async () => {
    for (const { field, filter } of lists()) {
      const totals = `totals: transactionTotals${argumentsOf(filter)} { groups { count } }`;
      const { data, errors } = await caller().ask(
        `{ merchant(id: "${own}") { list: ${field}${argumentsOf(filter)} { edges { cursor } }
          ${field === 'transactions' ? totals : ''} } }`,
      );
      expect(errors, filter).toBeUndefined();
      expect(data.merchant.list.edges, filter).toEqual([]);
      if (field === 'transactions') expect(data.merchant.totals.groups, filter).toEqual([]);
    }
    const { data } = await caller().ask(`{ merchant(id: "${own}") { ${REPORT} } }`);
    expect(data.merchant.balanceReport).toEqual({
      kinds: [],
      days: expect.any(Array),
      opening: { minorUnits: 0 },
    });
  });

  test('gets no list, totals or report of the other merchant', async () => {
    const fields = lists().map(
      ({ field, filter }) => `${field}${argumentsOf(filter)} { edges { cursor } }`,
    );
    stack.calls.length = 0;
    for (const field of [...fields, 'transactionTotals { groups { count } }', REPORT]) {
      const { data } = await caller().ask(`{ merchant(id: "${foreign}") { ${field} } }`);
      expect(data.merchant, field).toBeNull();
    }
    // What is read at the same time as the merchant, the service rejects as well; with a token, the gateway.
    const ahead = name === 'a token' ? [] : ['transactions', 'lines'];
    const possible = new Set(ahead.map((list) => `GET /merchants/:id/${list}`));
    const others = stack.calls.filter((call) => call !== 'GET /merchants/:id');
    expect(others.filter((call) => !possible.has(call))).toEqual([]);
    expect(others.length).toBeLessThanOrEqual(ahead.length);
  });

  test('exports nothing of the other merchant', async () => {
    for (const id of [own, foreign]) {
      for (const { field, filter } of lists()) {
        const query = `{ merchant(id: "${id}") { ${field}${argumentsOf(filter)} { edges { node { id } } } } }`;
        const response = await fetch(new URL('/export', caller().url), {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            authorization: `Bearer ${caller().credential}`,
          },
          body: JSON.stringify({ query, path: `merchant.${field}`, format: 'jsonl' }),
        });
        const text = await response.text();
        expectNothingForeign(text.replaceAll(query, ''));
        if (id === own) expect(JSON.parse(text)).toMatchObject({ end: { rows: 0 } });
        else expect(response.status).not.toBe(200);
      }
    }
  });
});
