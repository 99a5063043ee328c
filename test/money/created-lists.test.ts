import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Fault, passOn } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { type Bench, startBench } from './bench.ts';
import { creations, IMPATIENT } from './creation.ts';

let bench: Bench;
let shop: Awaited<ReturnType<typeof creations>>;
beforeAll(async () => {
  bench = await startBench(IMPATIENT);
  shop = await creations(bench, await given(bench.stack).merchant());
});
afterAll(() => bench?.close());
beforeEach(() => {
  bench.reset();
  bench.proxy.onWrite = async (forward, response) => {
    await forward();
    response.destroy();
  };
});

type Item = { readonly id: string; readonly custom?: unknown };

/** Answers lists of transactions by a test's own rule, and everything else as it is. */
const lists =
  (answer: (query: URLSearchParams) => Promise<readonly Item[]>): Fault =>
  async (forward, response, request) => {
    const { pathname, searchParams } = new URL(request.url as string, 'http://service');
    if (!/^\/merchants\/[^/]+\/transactions$/.test(pathname)) {
      return passOn(forward, response, request);
    }
    const items = await answer(searchParams);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(items));
  };

/** Somebody else's payments. */
const others = (count: number): Item[] =>
  Array.from({ length: count }, (_, index) => ({ id: `other-${index}`, custom: null }));

const page = (items: readonly Item[], cursor: string | null, limit: string | null) => {
  const start = items.findIndex(({ id }) => id === cursor) + 1;
  return items.slice(start, start + Number(limit));
};

const lookups = () => bench.proxy.requests.filter((call) => call.includes('limit=100')).length;

/** `count` payments of others come between the picture and ours, the oldest first. */
const crowded = (count: number): Fault => {
  let picture: string | null = null;
  return lists(async (query) => {
    const after = query.get('after');
    if (after === null) return shop.list(String(query));
    picture ??= after;
    const ours = await shop.list(`limit=100&after=${picture}`);
    return page([...others(count), ...ours], after, query.get('limit'));
  });
};

test('a payment is found behind 250 newer ones, page by page', async () => {
  const input = shop.wanted();
  bench.proxy.onRead = crowded(250);
  const { operation, transaction } = await shop.create(input);
  expect(operation).toMatchObject({ status: 'SUCCEEDED', evidence: 'READ_BACK' });
  expect(await shop.copies(input)).toMatchObject([{ id: transaction.rawId }]);
  expect(lookups()).toBe(3);
  expect(bench.posts()).toBe(1);
});

test('after ten pages a look ends, and the payment stays unknown', async () => {
  const input = shop.wanted();
  bench.proxy.onWrite = async (forward, response) => {
    await forward();
    // Its own looks see nothing, so that none of them is still under way below.
    bench.proxy.onRead = (_forward, read) => {
      read.destroy();
    };
    response.destroy();
  };
  expect((await shop.create(input)).operation).toMatchObject({ status: 'UNKNOWN' });
  bench.reset();
  bench.proxy.onRead = crowded(1_000);
  expect(await shop.find(input)).toMatchObject({ status: 'UNKNOWN' });
  expect(lookups()).toBe(10);
  bench.proxy.onRead = crowded(999);
  expect(await shop.find(input)).toMatchObject({ status: 'SUCCEEDED', evidence: 'READ_BACK' });
});

test('of a merchant that had none, the list is walked from its newest', async () => {
  const input = shop.wanted();
  bench.proxy.onRead = lists(async (query) => {
    if (query.get('limit') === '1') return [];
    return page(
      [...others(250), ...(await shop.list('limit=1'))],
      query.get('before'),
      query.get('limit'),
    );
  });
  const { operation, transaction } = await shop.create(input);
  expect(operation).toMatchObject({ status: 'SUCCEEDED', evidence: 'READ_BACK' });
  expect(await shop.copies(input)).toMatchObject([{ id: transaction.rawId }]);
  expect(lookups()).toBe(3);
});

test('where lists do not show custom, newer payments are read one by one', async () => {
  const input = shop.wanted();
  const neighbour = shop.wanted();
  await shop.create(neighbour);
  bench.reset();
  bench.proxy.onWrite = async (forward, response) => {
    // Others come between, with tags of their own or none.
    await shop.past({ ...shop.wanted().custom });
    await shop.past({ tillgraph: { operation: 'another' } });
    await forward();
    response.destroy();
  };
  bench.proxy.onRead = lists(async (query) =>
    (await shop.list(String(query))).map(({ custom: _hidden, ...item }: Item) => item),
  );
  const { operation, transaction } = await shop.create(input);
  expect(operation).toMatchObject({ status: 'SUCCEEDED', evidence: 'READ_BACK' });
  expect(await shop.copies(input)).toMatchObject([{ id: transaction.rawId }]);
  expect(bench.posts()).toBe(1);
});

test('where lists show only id and custom, the payment itself says whether it was made', async () => {
  const input = shop.wanted();
  bench.proxy.onRead = lists(async (query) =>
    (await shop.list(String(query))).map(({ id, custom }: Item) => ({ id, custom })),
  );
  const { operation, transaction } = await shop.create(input);
  expect(operation).toMatchObject({ status: 'SUCCEEDED', evidence: 'READ_BACK' });
  expect(await shop.copies(input)).toMatchObject([{ id: transaction.rawId }]);
});

test('a payment that does not say whether it was made stays unknown', async () => {
  const input = shop.wanted();
  bench.proxy.onRead = async (forward, response) => {
    const { status, type, body } = await forward();
    const silent = String(body).replaceAll(/"successful":\s*true,?/g, '');
    response.writeHead(status, { 'content-type': type }).end(silent);
  };
  expect((await shop.create(input)).operation).toMatchObject({ status: 'UNKNOWN' });
  bench.proxy.onRead = undefined;
  expect(await shop.find(input)).toMatchObject({ status: 'SUCCEEDED', evidence: 'READ_BACK' });
});

test('a page that the service cuts short is not the end', async () => {
  const input = shop.wanted();
  let picture: string | null = null;
  bench.proxy.onRead = lists(async (query) => {
    const after = query.get('after');
    if (after === null) return shop.list(String(query));
    picture ??= after;
    const ours = await shop.list(`limit=100&after=${picture}`);
    return page([...others(30), ...ours], after, '20');
  });
  const { operation } = await shop.create(input);
  expect(operation).toMatchObject({ status: 'SUCCEEDED', evidence: 'READ_BACK' });
});
