import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RelayArguments, relayArguments, relayPage } from '../support/relay-oracle.ts';
import { rest } from '../support/rest.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

interface Page {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[];
  readonly pageInfo: {
    readonly startCursor: string | null;
    readonly endCursor: string | null;
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
  };
}

const FIELDS =
  'edges { cursor node { id } } pageInfo { startCursor endCursor hasNextPage hasPreviousPage }';

/** Creates an app with `count` merchants, the only list whose length a test can set. Returns its key. */
async function appWithMerchants(count: number): Promise<string> {
  const { body } = await rest(stack.sandbox.paymentsUrl).post('/apps', {});
  const caller = rest(stack.sandbox.paymentsUrl, body.app.key);
  for (let index = 0; index < count; index++) {
    const { status } = await caller.post('/merchants', {
      currency: 'EUR',
      test: true,
      email: 'a@b.example',
      website: 'https://b.example',
      descriptor: 'SHOP',
      company: { country: 'DE' },
    });
    expect(status).toBe(201);
  }
  return body.app.key;
}

function toText(args: RelayArguments, cursorOf: ReadonlyMap<string, string>): string {
  const cursor = (id: string | undefined) => (id === undefined ? null : (cursorOf.get(id) ?? null));
  const { first, last, after, before } = args;
  return Object.entries({ first, last, after: cursor(after), before: cursor(before) })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
    .join(', ');
}

describe.each([0, 1, 3, 5])('a list of %i merchants over HTTP', (count) => {
  test('has the pages of Relay’s algorithm for every combination of arguments', async () => {
    const key = await appWithMerchants(count);
    const all: Page = (await stack.ask(`{ merchants(first: 100) { ${FIELDS} } }`, {}, key)).data
      .merchants;
    const ids = all.edges.map(({ node }) => node.id);
    expect(ids).toHaveLength(count);
    const cursorOf = new Map(all.edges.map(({ cursor, node }) => [node.id, cursor]));

    const cases = [...relayArguments(ids)];
    for (let start = 0; start < cases.length; start += 20) {
      const batch = cases.slice(start, start + 20);
      const fields = batch.map(
        (args, at) => `m${at}: merchants(${toText(args, cursorOf)}) { ${FIELDS} }`,
      );
      const answer = await stack.ask(`{ ${fields.join(' ')} }`, {}, key);
      expect(answer.errors).toBeUndefined();
      for (const [at, args] of batch.entries()) {
        const page: Page = answer.data[`m${at}`];
        const wanted = relayPage(ids, args);
        expect(
          page.edges.map(({ node }) => node.id),
          JSON.stringify(args),
        ).toEqual(wanted.ids);
        expect(page.pageInfo, JSON.stringify(args)).toEqual({
          startCursor: page.edges.at(0)?.cursor ?? null,
          endCursor: page.edges.at(-1)?.cursor ?? null,
          hasNextPage: wanted.hasNextPage,
          hasPreviousPage: wanted.hasPreviousPage,
        });
      }
    }
  });
});

describe.each([
  [
    'transactions',
    (query: string) =>
      `{ merchants(first: 1) { edges { node { list: transactions(${query}) { ${FIELDS} } } } } }`,
  ],
  [
    'lines',
    (query: string) =>
      `{ merchants(first: 1) { edges { node { list: lines(${query}) { ${FIELDS} } } } } }`,
  ],
  ['users', (query: string) => `{ list: users(${query}) { ${FIELDS} } }`],
])('walking %s', (_name, toQuery) => {
  async function list(query: string): Promise<Page> {
    const { data, errors } = await stack.ask(toQuery(query));
    expect(errors).toBeUndefined();
    return data.list ?? data.merchants.edges[0].node.list;
  }

  test('down with `after` and up with `before` returns each item once, in order', async () => {
    const all = (await list('first: 100')).edges.map(({ cursor }) => cursor);
    const down: string[] = [];
    let page = await list('first: 7');
    for (;;) {
      down.push(...page.edges.map(({ cursor }) => cursor));
      if (!page.pageInfo.hasNextPage) break;
      page = await list(`first: 7, after: "${page.pageInfo.endCursor}"`);
    }
    expect(down).toEqual(all);

    const up: string[] = [];
    let start = all.at(-1);
    for (;;) {
      page = await list(`last: 6, before: "${start}"`);
      up.unshift(...page.edges.map(({ cursor }) => cursor));
      if (!page.pageInfo.hasPreviousPage) break;
      start = page.pageInfo.startCursor ?? undefined;
    }
    expect(up).toEqual(all.slice(0, -1));
  });
});

test('declined and successful transactions can be listed separately', async () => {
  const query = (successful: boolean) =>
    `{ merchants(first: 1) { edges { node { transactions(first: 100, successful: ${successful}) {
      edges { node { successful error { code } } } } } } } }`;
  const nodesOf = async (successful: boolean) =>
    (await stack.ask(query(successful))).data.merchants.edges[0].node.transactions.edges.map(
      ({ node }: { node: object }) => node,
    );
  const declined = await nodesOf(false);
  expect(declined.length).toBeGreaterThan(0);
  for (const node of declined) expect(node).toEqual({ successful: false, error: { code: '7' } });
  const good = await nodesOf(true);
  expect(good.length + declined.length).toBe(40);
  for (const node of good) expect(node).toEqual({ successful: true, error: null });
});

test('live and test merchants can be listed separately', async () => {
  const { data } = await stack.ask(
    '{ live: merchants(test: false) { edges { cursor } } test: merchants(test: true) { edges { cursor } } }',
  );
  expect(data.live.edges).toEqual([]);
  expect(data.test.edges).toHaveLength(3);
});

test('a cursor of another list is invalid input that names the argument, without a call', async () => {
  const { data } = await stack.ask('{ users(first: 1) { pageInfo { endCursor } } }');
  stack.calls.length = 0;
  const { errors } = await stack.ask(
    `{ merchants(after: "${data.users.pageInfo.endCursor}") { edges { cursor } } }`,
  );
  expect(errors?.[0]).toMatchObject({
    message: '`after` is a cursor of another list.',
    extensions: { code: 'BAD_USER_INPUT', argument: 'after' },
  });
  expect(stack.calls).toEqual([]);
});
