import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Fault, passOn } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { changeJson, loseAnswer, loseRequest } from './support/faults.ts';
import { type MerchantClient, openMerchantClient } from './support/merchant-client.ts';
import { type ProxiedGateway, startProxiedGateway } from './support/proxied-gateway.ts';

// Every test creates a transaction whose answer is lost, so that the gateway searches the
// merchant's list for the tag of its operation.

let gateway: ProxiedGateway;
let merchant: MerchantClient;
beforeAll(async () => {
  gateway = await startProxiedGateway();
  merchant = await openMerchantClient(gateway, await given(gateway.direct).merchant());
});
afterAll(() => gateway?.close());
beforeEach(() => {
  gateway.reset();
  gateway.proxy.onWrite = loseAnswer;
});

interface Item {
  readonly id: string;
  readonly custom?: unknown;
  readonly successful?: boolean;
}

/** Answers requests for the list of transactions; other requests pass. */
const answerLists =
  (answer: (query: URLSearchParams) => Promise<readonly Item[]>): Fault =>
  async (forward, response, request) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://service');
    if (!/^\/merchants\/[^/]+\/transactions$/.test(pathname)) {
      return passOn(forward, response, request);
    }
    const items = await answer(searchParams);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(items));
  };

/** Transactions that other clients have created. */
const othersTransactions = (count: number): Item[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `other-${index}`,
    custom: null,
    successful: true,
  }));

function pageOf(items: readonly Item[], cursor: string | null, limit: string | null): Item[] {
  const start = items.findIndex(({ id }) => id === cursor) + 1;
  return items.slice(start, start + Number(limit));
}

/** How many pages of the list the gateway has read in its search. */
const pagesRead = () => gateway.proxy.requests.filter((call) => call.includes('limit=100')).length;

/** Others have created transactions between the snapshot and ours; the oldest come first. */
function othersFirst(others: readonly Item[], pageSize?: string): Fault {
  let newestBefore: string | null = null;
  return answerLists(async (query) => {
    const after = query.get('after');
    if (after === null) return merchant.list(String(query));
    newestBefore ??= after;
    const own = await merchant.list(`limit=100&after=${newestBefore}`);
    return pageOf([...others, ...own], after, pageSize ?? query.get('limit'));
  });
}

const FOUND = { status: 'SUCCEEDED', evidence: 'READ_BACK' };

test('a created transaction is found behind 250 newer ones, page by page', async () => {
  const input = merchant.newInput();
  gateway.proxy.onRead = othersFirst(othersTransactions(250));
  const { operation, transaction } = await merchant.create(input);
  expect(operation).toMatchObject(FOUND);
  expect(await merchant.created(input)).toMatchObject([{ id: transaction.rawId }]);
  expect(pagesRead()).toBe(3);
  expect(gateway.posts()).toBe(1);
});

test('a search ends after ten pages, and the operation stays unknown until a later search', async () => {
  const input = merchant.newInput();
  gateway.proxy.onWrite = async (...exchange) => {
    gateway.proxy.onRead = loseRequest;
    await loseAnswer(...exchange);
  };
  expect((await merchant.create(input)).operation).toMatchObject({ status: 'UNKNOWN' });
  gateway.reset();
  gateway.proxy.onRead = othersFirst(othersTransactions(1_000));
  expect(await merchant.findOperation(input)).toMatchObject({ status: 'UNKNOWN' });
  expect(pagesRead()).toBe(10);
  gateway.proxy.onRead = othersFirst(othersTransactions(999));
  expect(await merchant.findOperation(input)).toMatchObject(FOUND);
});

test('a search continues where the last one ended, among transactions older than an hour', async () => {
  const input = merchant.newInput();
  gateway.proxy.onWrite = async (...exchange) => {
    gateway.proxy.onRead = loseRequest;
    await loseAnswer(...exchange);
  };
  expect((await merchant.create(input)).operation).toMatchObject({ status: 'UNKNOWN' });
  gateway.reset();
  const old = othersTransactions(2_500).map((item) => ({
    ...item,
    created: '2026-01-01T00:00:00Z',
  }));
  gateway.proxy.onRead = othersFirst(old);
  for (const pages of [10, 20]) {
    expect(await merchant.findOperation(input)).toMatchObject({ status: 'UNKNOWN' });
    expect(pagesRead()).toBe(pages);
  }
  expect(await merchant.findOperation(input)).toMatchObject(FOUND);
  expect(pagesRead()).toBe(26);
});

test('a search of the list from its newest continues too, and then searches what is newer', async () => {
  const input = merchant.newInput();
  const old = othersTransactions(1_500).map((item) => ({
    ...item,
    created: '2026-01-01T00:00:00Z',
  }));
  let newest: Item[] = [];
  gateway.proxy.onRead = answerLists(async (query) => {
    if (query.get('limit') === '1') return [];
    const [after, before, limit] = ['after', 'before', 'limit'].map((name) => query.get(name));
    const all = [...newest, ...old];
    // What is newer than a transaction comes oldest first.
    return after
      ? pageOf(all.reverse(), after, limit ?? null)
      : pageOf(all, before ?? null, limit ?? null);
  });
  expect((await merchant.create(input)).operation).toMatchObject({ status: 'UNKNOWN' });
  // Ten pages, then the other five and the empty one; then what is newer, once with every read.
  expect(pagesRead()).toBe(10 + 6 + 1 + 2);
  newest = await merchant.list('limit=1');
  expect(await merchant.findOperation(input)).toMatchObject(FOUND);
});

test('the list of a merchant that had no transactions is searched from its newest', async () => {
  const input = merchant.newInput();
  gateway.proxy.onRead = answerLists(async (query) => {
    if (query.get('limit') === '1') return [];
    const all = [...othersTransactions(250), ...(await merchant.list('limit=1'))];
    return pageOf(all, query.get('before'), query.get('limit'));
  });
  const { operation, transaction } = await merchant.create(input);
  expect(operation).toMatchObject(FOUND);
  expect(await merchant.created(input)).toMatchObject([{ id: transaction.rawId }]);
  expect(pagesRead()).toBe(3);
});

test('if lists do not show `custom`, newer transactions are read one by one', async () => {
  const input = merchant.newInput();
  const neighbour = merchant.newInput();
  await merchant.create(neighbour);
  gateway.reset();
  gateway.proxy.onWrite = async (...exchange) => {
    // Others create transactions in between, with another tag or none.
    await merchant.createDirectly(merchant.newInput().custom);
    await merchant.createDirectly({ tillgraph: { operation: 'another' } });
    await loseAnswer(...exchange);
  };
  gateway.proxy.onRead = answerLists(async (query) =>
    (await merchant.list(String(query))).map(({ custom: _hidden, ...item }) => item),
  );
  const { operation, transaction } = await merchant.create(input);
  expect(operation).toMatchObject(FOUND);
  expect(await merchant.created(input)).toMatchObject([{ id: transaction.rawId }]);
  expect(gateway.posts()).toBe(1);
});

test('if lists show only `id` and `custom`, the transaction is read to see whether it succeeded', async () => {
  const input = merchant.newInput();
  gateway.proxy.onRead = answerLists(async (query) =>
    (await merchant.list(String(query))).map(({ id, custom }) => ({ id, custom })),
  );
  const { operation, transaction } = await merchant.create(input);
  expect(operation).toMatchObject(FOUND);
  expect(await merchant.created(input)).toMatchObject([{ id: transaction.rawId }]);
});

test('an operation whose transaction does not show whether it succeeded stays unknown', async () => {
  const input = merchant.newInput();
  gateway.proxy.onRead = changeJson((body) => withoutSuccessful(body));
  expect((await merchant.create(input)).operation).toMatchObject({ status: 'UNKNOWN' });
  gateway.proxy.onRead = undefined;
  expect(await merchant.findOperation(input)).toMatchObject(FOUND);
});

/** The same JSON without any field `successful` that is true. */
function withoutSuccessful(body: unknown): unknown {
  return JSON.parse(
    JSON.stringify(body, (name, value) =>
      name === 'successful' && value === true ? undefined : value,
    ),
  );
}

test('neither a page that the service shortens nor a transaction that is gone ends the search', async () => {
  const input = merchant.newInput();
  // Without `successful` each is read, and does not exist.
  const gone = othersTransactions(30).map(({ id }) => ({ id, custom: null }));
  gateway.proxy.onRead = othersFirst(gone, '20');
  const { operation } = await merchant.create(input);
  expect(operation).toMatchObject(FOUND);
});
