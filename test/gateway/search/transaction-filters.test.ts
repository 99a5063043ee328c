import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openTestReplica, type TestReplica } from '../../support/test-replica.ts';
import { type LedgerService, startLedgerService, type Wire } from './ledger-service.ts';
import { HOUR, type Payment, payments, plain, START, toWire } from './payment-model.ts';
import { type SearchGateway, startSearchGateway } from './start-search-gateway.ts';
import { demands, type Filter, filters, meets } from './transaction-filters.ts';

const FILTERS = 20;
/** 240 filters in the everyday suite, and 10,000 in the long one. */
const LEDGERS = inject('scale') === 1 ? 12 : 50 * inject('scale');
/** Few items in a call, so that a small list needs several. */
const PAGE_MAX = 7;
const merchant: Wire = { id: 'm1', currency: 'EUR', test: true };

let service: LedgerService;
let gateways: Record<'ONE_CALL' | 'MANY_CALLS' | 'REPLICA', SearchGateway>;
let replica: TestReplica;
beforeAll(async () => {
  service = await startLedgerService();
  const start = (options: object) =>
    startSearchGateway(service, { maxSearchCalls: 1, pageMax: PAGE_MAX, ...options });
  replica = await openTestReplica('any-key');
  gateways = {
    ONE_CALL: await start({}),
    MANY_CALLS: await start({ maxSearchCalls: 20 }),
    REPLICA: await start({ replica }),
  };
});
afterAll(async () => {
  for (const gateway of Object.values(gateways ?? {})) {
    expect(gateway.bugs).toEqual([]);
    await gateway.close();
  }
  await service?.close();
});

interface Page {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly rawId: string } }[];
  readonly pageInfo: {
    readonly startCursor: string | null;
    readonly endCursor: string | null;
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
  };
  readonly search: {
    readonly examined: number;
    readonly skipped: number;
    readonly examinedTo: string | null;
    readonly complete: boolean;
    readonly source: 'REPLICA' | 'SCAN';
  } | null;
}

const QUERY = `query ($filter: TransactionFilter, $first: Int, $after: String, $last: Int, $before: String) {
  merchant(id: "m1") {
    transactions(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
      edges { cursor node { rawId } }
      pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
      search { examined skipped examinedTo complete source }
    }
  }
}`;

async function ask(budget: keyof typeof gateways, variables: object): Promise<Page> {
  const { data, errors } = await gateways[budget].ask(QUERY, { ...variables }, 'any-key');
  expect(errors).toBeUndefined();
  return data.merchant.transactions;
}

const idsOf = (page: Page) => page.edges.map(({ node }) => node.rawId);

/** Follows a filtered list to its end. */
async function follow(budget: keyof typeof gateways, filter: Filter, first: number, most: number) {
  const pages: Page[] = [];
  for (let after: string | null = null; ; ) {
    const page: Page = await ask(budget, { filter, first, after });
    pages.push(page);
    expect(page.edges.length).toBeLessThanOrEqual(first);
    if (!page.pageInfo.hasNextPage) return pages;
    expect(page.pageInfo.endCursor).not.toBe(after);
    expect(pages.length).toBeLessThanOrEqual(most);
    after = page.pageInfo.endCursor;
  }
}

const ledgers = fc.record({
  list: payments,
  omitted: fc.constantFrom([], ['trail'], ['trail', 'successful', 'pendingAmount']),
  asked: fc.array(fc.record({ filter: filters, first: fc.constantFrom(1, 2, 5, 30, 100) }), {
    minLength: FILTERS,
    maxLength: FILTERS,
  }),
  budget: fc.constantFrom<keyof typeof gateways>('ONE_CALL', 'MANY_CALLS', 'REPLICA'),
  order: fc.record({
    field: fc.constantFrom('CREATED_AT', 'AMOUNT'),
    direction: fc.constantFrom('ASC', 'DESC'),
  }),
});

test(`${LEDGERS * FILTERS} random filters find what brute force finds, in its order, each once`, async () => {
  let found = 0;
  await fc.assert(
    fc.asyncProperty(ledgers, async ({ list, omitted, asked, budget, order }) => {
      show(list, omitted);
      if (budget === 'REPLICA') await replica.startOver('m1');
      for (const { filter, first } of asked) {
        const pages = await follow(budget, filter, first, list.length + 2);
        const expected = list.filter((payment) => meets(payment, filter)).map(({ id }) => id);
        expect(pages.flatMap(idsOf)).toEqual(expected);
        found += expected.length;
        checkProgress(pages, filter, list);
        if (budget !== 'REPLICA') continue;
        checkSource(pages);
        const matching = list.filter((payment) => meets(payment, filter));
        const sorted = sort(matching, order).map(({ id }) => id);
        expect(await readSorted({ filter, order, first }, sorted.length)).toEqual(sorted);
      }
    }),
    { numRuns: LEDGERS, endOnFailure: true },
  );
  expect(found).toBeGreaterThan(LEDGERS * FILTERS);
});

interface Order {
  readonly field: string;
  readonly direction: string;
}

/** Equal ones in the order of the list, which is newest first. */
function sort(list: readonly Payment[], { field, direction }: Order): readonly Payment[] {
  const keyOf = ({ created, amount }: Payment) => (field === 'AMOUNT' ? amount : created);
  const largestFirst = list.toSorted((one, other) => keyOf(other) - keyOf(one));
  return direction === 'DESC' ? largestFirst : largestFirst.toReversed();
}

const SORTED = `query ($filter: TransactionFilter, $order: TransactionOrder, $first: Int, $after: String, $last: Int, $before: String) {
  merchant(id: "m1") {
    transactions(filter: $filter, orderBy: $order, first: $first, after: $after, last: $last, before: $before) {
      edges { cursor node { rawId } }
      pageInfo { startCursor endCursor hasNextPage hasPreviousPage }
      search { examined skipped examinedTo complete source }
      totalCount
    }
  }
}`;

/** Follows a sorted list to its end, then back from its last item, which must be the same. */
async function readSorted(asked: { filter: Filter; order: Order; first: number }, count: number) {
  const { first, ...others } = asked;
  const read = async (variables: object): Promise<Page & { totalCount: number }> => {
    const { data, errors } = await gateways.REPLICA.ask(
      SORTED,
      { ...others, ...variables },
      'any-key',
    );
    expect(errors).toBeUndefined();
    expect(data.merchant.transactions.totalCount).toBe(count);
    return data.merchant.transactions;
  };
  const ids: string[] = [];
  let last: string | undefined;
  for (let after: string | null = null; ; ) {
    const page: Page = await read({ first, after });
    ids.push(...idsOf(page));
    last = page.edges.at(-1)?.cursor ?? last;
    if (!page.pageInfo.hasNextPage) break;
    after = page.pageInfo.endCursor;
  }
  const back: string[] = [];
  for (let before = last; before !== undefined; ) {
    const page: Page = await read({ last: first, before });
    back.unshift(...idsOf(page));
    before = page.pageInfo.hasPreviousPage ? (page.pageInfo.startCursor ?? undefined) : undefined;
  }
  expect(back).toEqual(ids.slice(0, -1));
  return ids;
}

function show(list: readonly Payment[], omitted: readonly string[] = []): void {
  const transactions = list.map((payment) => toWire(payment, merchant.id));
  service.show({ merchant, transactions, lines: [], disputes: [], omitted });
}

/** What `search` must show of a list that was followed to its end. */
function checkProgress(pages: readonly Page[], filter: Filter, list: readonly Payment[]): void {
  if (!demands(filter)) {
    expect(pages.map(({ search }) => search)).toEqual(pages.map(() => null));
    return;
  }
  const examined = pages.reduce((total, { search }) => total + (search?.examined ?? 0), 0);
  expect(examined).toBeLessThanOrEqual(list.length);
  expect(pages.map(({ search }) => search?.skipped)).toEqual(pages.map(() => 0));
  expect(pages.map(({ search }) => search?.complete)).toEqual(
    pages.map((_, at) => at === pages.length - 1),
  );
  // The last page can be empty.
  const dates = pages.flatMap(({ search }) => search?.examinedTo ?? []);
  if (examined === list.length && list.length > 0) {
    expect(dates.at(-1)).toBe(new Date(list.at(-1)?.created ?? 0).toISOString());
  }
}

/** A search for one id reads the record itself. */
function checkSource(pages: readonly Page[]): void {
  const isCopied = ({ search }: Page) =>
    search === null || search.source === 'REPLICA' || search.examined <= 1;
  expect(pages.filter((page) => !isCopied(page))).toEqual([]);
}

/** Payments that differ in nothing but their time: one each hour, newest first. */
const hourly = (count: number): Payment[] =>
  Array.from({ length: count }, (_, index) => ({
    ...plain,
    id: `6b${String(count - index).padStart(22, '0')}`,
    created: START + (count - index) * HOUR,
  }));

const at = (hours: number) => new Date(START + hours * HOUR).toISOString();

/** The calls for the list that a query makes. */
async function callsOf(variables: object, budget: keyof typeof gateways = 'MANY_CALLS') {
  service.requests.length = 0;
  const page = await ask(budget, variables);
  return { page, calls: service.requests.filter((url) => url.includes('/transactions')) };
}

test('with a replica, a search, an order, a count and a total need one call, for access', async () => {
  show(hourly(40));
  await replica.startOver('m1');
  service.requests.length = 0;
  const { data, errors } = await gateways.REPLICA.ask(
    `{ merchant(id: "m1") {
      found: transactions(first: 2, filter: { text: "visit" }) { edges { node { id } } totalCount }
      sorted: transactions(first: 2, orderBy: { field: AMOUNT }) { edges { node { id } } }
      totals: transactionTotals(groupBy: [STATE]) { groups { count } }
    } }`,
    {},
    'any-key',
  );
  expect(errors).toBeUndefined();
  expect(data.merchant.totals.groups).toEqual([{ count: 40 }]);
  const isOfSync = (url: string) => /after=|^\/(me$|identities|frauds|disputes)/.test(url);
  expect(service.requests.filter((url) => !isOfSync(url))).toEqual(['/merchants/m1']);
});

test('a walk goes on behind its last place, forward and backward, and ends with a budget of one call', async () => {
  const list = hourly(40);
  show(list);
  const filter = { createdAt: { from: at(5), to: at(30) } };
  const expected = list.map(({ id }) => id).slice(11, 36);
  for (const budget of ['ONE_CALL', 'MANY_CALLS'] as const) {
    for (const first of [1, 3, 100]) {
      const pages = await follow(budget, filter, first, 60);
      expect(pages.flatMap(idsOf)).toEqual(expected);
    }
  }
  const { edges } = await ask('MANY_CALLS', { filter, first: 100 });
  let found: string[] = [];
  for (let before = edges.at(-1)?.cursor ?? null, isOver = false; !isOver; ) {
    const page: Page = await ask('ONE_CALL', { filter, last: 4, before });
    found = [...idsOf(page), ...found];
    before = page.pageInfo.startCursor;
    isOver = !page.pageInfo.hasPreviousPage;
    expect(page.pageInfo.hasNextPage).toBe(true);
  }
  expect(found).toEqual(expected.slice(0, -1));
});

test('a walk ends at the first call that lies before `from`, if the list is sorted', async () => {
  const list = hourly(60);
  show(list);
  const filter = { createdAt: { from: at(50) } };
  const sorted = await callsOf({ filter, first: 100 });
  expect(sorted.page.search).toMatchObject({ complete: true, examined: 21 });
  expect(sorted.calls).toHaveLength(3);
  // Ten minutes out of order, so nothing is known about the rest.
  const [first, second, ...rest] = list as [Payment, Payment, ...Payment[]];
  show([{ ...first, created: second.created - 600_000 }, second, ...rest]);
  const unsorted = await callsOf({ filter, first: 100 });
  expect(unsorted.page.search).toMatchObject({ complete: true, examined: 60 });
  expect(unsorted.calls).toHaveLength(9);
});

test('payments that arrive during a walk disturb nothing', async () => {
  const list = hourly(30);
  const filter = { recurring: false };
  show(list.slice(10));
  const found: string[] = [];
  for (let after: string | null = null, arrived = 10; ; ) {
    const page: Page = await ask('ONE_CALL', { filter, first: 3, after });
    found.push(...idsOf(page));
    if (!page.pageInfo.hasNextPage) break;
    after = page.pageInfo.endCursor;
    arrived = Math.max(0, arrived - 3);
    show(list.slice(arrived));
  }
  expect(found).toEqual(list.slice(10).map(({ id }) => id));
});

test('all filtered lists of a request share one budget', async () => {
  show(hourly(200));
  service.requests.length = 0;
  const lists = Array.from(
    { length: 10 },
    (_, index) =>
      `l${index}: transactions(filter: { text: "nothing ${index}" }) { search { complete examined } pageInfo { endCursor hasNextPage } }`,
  );
  const { data } = await gateways.MANY_CALLS.ask(
    `{ merchant(id: "m1") { ${lists.join(' ')} } }`,
    {},
    'any-key',
  );
  const pages: Page[] = Object.values(data.merchant);
  expect(pages.map(({ search }) => search?.complete)).toEqual(pages.map(() => false));
  expect(pages.map(({ pageInfo }) => pageInfo.hasNextPage)).toEqual(pages.map(() => true));
  // The lists ask for the same pages, so each page is read once.
  expect(new Set(pages.map(({ search }) => search?.examined))).toEqual(new Set([2 * PAGE_MAX]));
  expect(service.requests).toHaveLength(3);
});

test('the id of a transaction is one read; one of another merchant is not found', async () => {
  const [own, other] = hourly(2) as [Payment, Payment];
  show([own, { ...other, id: '6c0000000000000000000001' }]);
  const { page, calls } = await callsOf({ filter: { text: ` txn_${own.id} ` } });
  expect(idsOf(page)).toEqual([own.id]);
  expect(page.search).toMatchObject({ examined: 1, complete: true });
  expect(calls).toEqual([`/transactions/${own.id}`]);
  const again = await callsOf({ filter: { text: own.id }, after: page.pageInfo.endCursor });
  expect(idsOf(again.page)).toEqual([]);
  const transactions = [{ ...toWire(own, 'm2') }];
  for (const forbidden of [undefined, own.id]) {
    service.show({
      merchant,
      transactions,
      lines: [],
      disputes: [],
      ...(forbidden && { forbidden }),
    });
    const { page: none } = await callsOf({ filter: { text: own.id } });
    expect(none).toMatchObject({ edges: [], search: { complete: true } });
  }
});

test('what nothing can match makes no call', async () => {
  show(hourly(20));
  for (const filter of [
    { state: [] },
    { createdAt: { from: at(2), to: at(2) } },
    { amount: { currency: 'EUR', min: 2, max: 1 } },
  ]) {
    const { page, calls } = await callsOf({ filter });
    expect(page).toMatchObject({ edges: [], search: { examined: 0, complete: true } });
    expect(page.pageInfo).toEqual(nowhere);
    expect(calls).toEqual([]);
  }
});

const nowhere = { startCursor: null, endCursor: null, hasNextPage: false, hasPreviousPage: false };

test('the service is asked only for successful transactions if no other can match', async () => {
  show(hourly(3));
  const asked = async (filter: Filter) => (await callsOf({ filter })).calls.join();
  expect(await asked({ state: ['CAPTURED'] })).toContain('filter%5Bsuccessful%5D=y');
  expect(await asked({ state: ['DECLINED'] })).toContain('filter%5Bsuccessful%5D=n');
  expect(await asked({ state: ['CAPTURED', 'DECLINED'] })).not.toContain('successful');
  expect(await asked({ availableAction: ['VOID'] })).toContain('filter%5Bsuccessful%5D=y');
});

test('a record that cannot be judged is counted, unless another condition excludes it', async () => {
  const [first, second, third] = hourly(3).map((payment) => toWire(payment, 'm1')) as [
    Wire,
    Wire,
    Wire,
  ];
  const transactions = [
    { ...first, created: 'yesterday' },
    { ...second, recurring: 'perhaps' },
    third,
  ];
  service.show({ merchant, transactions, lines: [], disputes: [] });
  const both = { createdAt: { from: at(0) }, recurring: false };
  const { page } = await callsOf({ filter: both });
  expect(idsOf(page)).toEqual([third.id]);
  expect(page.search).toMatchObject({ examined: 3, skipped: 2, complete: true });
  const excluded = await callsOf({ filter: { ...both, currency: ['JPY'] } });
  expect(excluded.page.search).toMatchObject({ examined: 3, skipped: 0 });
});

test('`successful` beside a filter is an error that says what to write', async () => {
  show([]);
  const { errors } = await gateways.MANY_CALLS.ask(
    '{ merchant(id: "m1") { transactions(successful: true, filter: { recurring: true }) { edges { cursor } } } }',
    {},
    'any-key',
  );
  expect(errors).toMatchObject([
    {
      message: 'Use `filter: { successful }` instead of `successful`.',
      extensions: { code: 'BAD_USER_INPUT', argument: 'successful' },
    },
  ]);
});

test('a service that fails to show a record stops the walk there, and never completes it', async () => {
  const transactions = hourly(6).map((payment) => toWire(payment, 'm1'));
  const ids = transactions.map(({ id }) => id);
  const shown = { merchant, transactions, lines: [], disputes: [], omitted: ['trail'] };
  service.show({ ...shown, failing: ids[3] ?? '' });
  const filter = { state: ['AUTHORIZED'] };
  const { page } = await callsOf({ filter });
  expect(idsOf(page)).toEqual(ids.slice(0, 3));
  expect(page.search).toMatchObject({ complete: false, skipped: 0 });
  const { errors } = await gateways.MANY_CALLS.ask(
    QUERY,
    { filter, after: page.pageInfo.endCursor },
    'any-key',
  );
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
});

test('a record that comes twice is found once, and one at `before` ends a walk from `after`', async () => {
  const [first, second, third] = hourly(3).map((payment) => toWire(payment, 'm1')) as [
    Wire,
    Wire,
    Wire,
  ];
  const filter = { recurring: false };
  const transactions = [first, first, second, third, second];
  service.show({ merchant, transactions, lines: [], disputes: [] });
  const { page } = await callsOf({ filter });
  expect(idsOf(page)).toEqual([first.id, second.id, third.id]);
  const [after, , before] = page.edges.map(({ cursor }) => cursor);
  service.show({ merchant, transactions: [first, second, third], lines: [], disputes: [] });
  const between = await callsOf({ filter, first: 5, after, before });
  expect(idsOf(between.page)).toEqual([second.id]);
  expect(between.page.search).toMatchObject({ complete: true, examined: 1 });
});

test('a walk without a call left continues where it began', async () => {
  show(hourly(40));
  const { page } = await callsOf({ filter: { text: 'nothing' }, first: 1 }, 'ONE_CALL');
  const after = page.pageInfo.endCursor;
  const two = `{ merchant(id: "m1") { a: transactions(filter: { text: "no" }, after: "${after}") { pageInfo { endCursor } }
    b: transactions(filter: { text: "none" }, after: "${after}") { pageInfo { endCursor hasNextPage } search { complete } } } }`;
  const { data } = await gateways.ONE_CALL.ask(two, {}, 'any-key');
  expect(data.merchant.a.pageInfo.endCursor).not.toBe(after);
  expect(data.merchant.b).toEqual({
    pageInfo: { endCursor: after, hasNextPage: true },
    search: { complete: false },
  });
});

test('an id finds a transaction whose listed record lacks a field', async () => {
  const [own] = hourly(1) as [Payment];
  show([own], ['trail', 'merchantId']);
  const { data } = await gateways.MANY_CALLS.ask(
    `{ merchant(id: "m1") { transactions { edges { node { rawId } } } } other: merchant(id: "m1") { found: transactions(filter: { text: "${own.id}", state: [AUTHORIZED] }) { edges { node { rawId } } } } }`,
    {},
    'any-key',
  );
  expect(data.other.found.edges).toEqual([{ node: { rawId: own.id } }]);
});

test('texts and values that are far too long or too deep are answered at once', async () => {
  let deep: unknown = 'needle';
  for (let level = 0; level < 1_000; level++) deep = [deep];
  show([{ ...plain, custom: { deep } }]);
  expect(idsOf((await callsOf({ filter: { text: 'needle' } })).page)).toEqual([]);
  const { errors } = await gateways.MANY_CALLS.ask(
    QUERY,
    { filter: { text: `1${' '.repeat(100_000)}x!` } },
    'any-key',
  );
  expect(errors).toMatchObject([
    {
      message: '`filter.text` must have at most 200 characters.',
      extensions: { code: 'BAD_USER_INPUT' },
    },
  ]);
});

test('a request has the same result and the same calls each time, also if another field fails', async () => {
  show(hourly(200));
  const query = `{
    merchant(id: "m1") {
      transactions(filter: { text: "nothing" }) { search { examined } }
      transactionTotals { groups { count } search { examined } }
    }
    failing: merchant(id: "m2") { name lines(filter: { kind: [OTHER] }) { search { examined } } }
    invalid: transaction(id: "mer_m1") { id }
  }`;
  const results: object[] = [];
  // From the third time on, the query is compiled.
  for (let time = 0; time < 4; time++) {
    service.requests.length = 0;
    const { data, errors } = await gateways.MANY_CALLS.ask(query, {}, 'any-key');
    results.push({ data, errors, calls: service.requests.length });
  }
  expect(results[0]).toMatchObject({
    data: { merchant: { transactions: { search: { examined: 10 * PAGE_MAX } } }, invalid: null },
    errors: [{ path: ['invalid'] }],
  });
  expect(results).toEqual(results.map(() => results[0]));
});
