import { afterEach, beforeEach, expect, test } from 'vitest';
import { type LedgerService, startLedgerService } from '../gateway/search/ledger-service.ts';
import { HOUR, type Payment, plain, START, toWire } from '../gateway/search/payment-model.ts';
import { type SearchGateway, startSearchGateway } from '../gateway/search/start-search-gateway.ts';
import { openTestReplica, type TestReplica } from '../support/test-replica.ts';

const merchant = { id: 'm1', currency: 'EUR', test: true };

let service: LedgerService;
let replica: TestReplica;
let gateway: SearchGateway;
beforeEach(async () => {
  service = await startLedgerService();
  replica = await openTestReplica('any-key');
});
afterEach(async () => {
  await gateway?.close();
  await service?.close();
});

async function start(): Promise<void> {
  gateway = await startSearchGateway(service, { maxSearchCalls: 5, pageMax: 10, replica });
}

/** Payments of one merchant, one each hour, newest first. */
const payments = (count: number): Payment[] =>
  Array.from({ length: count }, (_, index) => ({
    ...plain,
    id: `6b${String(count - index).padStart(22, '0')}`,
    created: START + (count - index) * HOUR,
  }));

type Wires = ReturnType<typeof toWire>[];

const toWires = (list: readonly Payment[]): Wires => list.map((one) => toWire(one, merchant.id));

function show(transactions: Wires, lines: Wires = [], disputes: Wires = []): void {
  service.show({ merchant, transactions, lines, disputes });
}

async function search(filter = '{ currency: ["EUR"] }', more = '') {
  const { data, errors } = await gateway.ask(
    `{ merchant(id: "m1") {
      replica { state }
      transactions(first: 100, filter: ${filter}${more}) {
        edges { node { rawId descriptor: statementDescriptor } } search { source }
      }
    } }`,
    {},
    'any-key',
  );
  return { errors, ...data?.merchant, ids: data?.merchant?.transactions?.edges.map(idOf) };
}

const PATIENT = { timeout: 60_000, interval: 50 };

const idOf = ({ node }: { node: { rawId: string } }) => node.rawId;

test('a copy takes one call for each page, and a search then none', async () => {
  const list = payments(60);
  show(toWires(list));
  await start();
  await replica.ready();
  const pages = () =>
    service.requests.filter(
      (url) => url.startsWith('/merchants/m1/transactions') && !url.includes('after='),
    );
  // Six pages, and the empty one at the end. Polls begin behind an item.
  expect(pages()).toHaveLength(7);
  service.requests.length = 0;
  const found = await search();
  expect(found.ids).toEqual(list.map(({ id }) => id));
  expect(found).toMatchObject({
    replica: { state: 'READY' },
    transactions: { search: { source: 'REPLICA' } },
  });
  expect(pages()).toEqual([]);
});

test('text that a database cannot store is copied, and found', async () => {
  const [first, ...others] = toWires(payments(3));
  const card = { last4: '\0\ud800', bin: '410000', scheme: 'visa' };
  const odd = { ...first, card, custom: { note: 'half \ud83d of a \0 pair' } } as Wires[number];
  show([odd, ...others]);
  await start();
  await replica.startOver('m1');
  for (const filter of ['{ text: "HALF" }', '{ text: " pair" }']) {
    const found = await search(filter);
    expect(found.errors).toBeUndefined();
    expect(found).toMatchObject({
      ids: [odd.id],
      transactions: { search: { source: 'REPLICA' } },
    });
  }
});

test('a line tells that its transaction has changed, however old that is', async () => {
  const list = toWires(payments(60));
  show(list);
  await start();
  await replica.startOver('m1');
  const [oldest] = list.slice(-1);
  const trail = [
    ...((oldest?.trail as object[]) ?? []),
    { capture: true, amount: 1, created: '2026-01-01T00:00:00Z' },
  ];
  const changed = { ...oldest, descriptor: 'changed', trail } as Wires[number];
  const line = { id: '6c0000000000000000000001', merchantId: 'm1', transactionId: changed.id };
  show([...list.slice(0, -1), changed], [line as unknown as Wires[number]]);
  await replica.catchUp('m1');
  expect((await search('{ statementDescriptor: "changed" }')).ids).toEqual([changed.id]);
  expect(service.requests).toContain(`/transactions/${changed.id}`);
});

test('a transaction that does not show its line yet is read again until it does', async () => {
  const list = toWires(payments(60));
  show(list);
  await start();
  await replica.startOver('m1');
  const [oldest, ...others] = list.toReversed();
  const line = { id: '6c0000000000000000000002', merchantId: 'm1', transactionId: oldest?.id };
  // The service reads the transaction from a copy of its own, which lags.
  show(list, [line as unknown as Wires[number]]);
  const reads = () => service.requests.filter((url) => url === `/transactions/${oldest?.id}`);
  await expect
    .poll(async () => {
      await replica.store.want(['m1']);
      return reads().length;
    }, PATIENT)
    .toBeGreaterThan(1);
  const [before] = await replica.store.find(['m1']);
  const entry = { capture: true, amount: 1, created: '2026-01-01T00:00:00Z', lineId: line.id };
  const changed = { ...oldest, descriptor: 'changed', trail: [entry] } as Wires[number];
  show([...others.toReversed(), changed], [line as unknown as Wires[number]]);
  await replica.catchUp('m1');
  expect((await search('{ statementDescriptor: "changed" }')).ids).toEqual([changed.id]);
  // Until then, nobody was told that the copy is up to date.
  const [after] = await replica.store.find(['m1']);
  expect(after?.asOf?.getTime()).toBeGreaterThan(before?.asOf?.getTime() ?? 0);
  const count = reads().length;
  await replica.catchUp('m1');
  expect(reads()).toHaveLength(count);
});

test('a record with a shorter trail never replaces one with a longer one', async () => {
  const list = toWires(payments(5));
  const entry = { capture: true, amount: 1, created: '2026-01-01T00:00:00Z' };
  const newer = list.map((one) => ({
    ...one,
    descriptor: 'new',
    trail: [entry, entry, entry, entry],
  }));
  show(newer);
  await start();
  await replica.startOver('m1');
  show(list.map((one) => ({ ...one, descriptor: 'old', trail: [entry] })));
  await replica.catchUp('m1');
  expect((await search('{ statementDescriptor: "old" }')).ids).toEqual([]);
  expect((await search('{ statementDescriptor: "new" }')).ids).toHaveLength(5);
});

test('an item that appears late, behind newer ones, is found and gets its place', async () => {
  const list = toWires(payments(30));
  const late = list[4];
  show(list.filter((one) => one !== late));
  await start();
  await replica.startOver('m1');
  show(list);
  await replica.catchUp('m1');
  expect((await search()).ids).toEqual(list.map(({ id }) => id));
});

test.each([
  [
    'has records of another merchant',
    (list: Wires) => [{ ...list[0], id: 'new', merchantId: 'm2' }, ...list],
  ],
  ['repeats an item', (list: Wires) => [list[0], ...list]],
  ['changes its order', ([first, second, ...rest]: Wires) => [second, first, ...rest]],
] as const)('a list that %s stops sync, and the service is searched instead', async (_, change) => {
  const list = toWires(payments(15));
  show(list);
  await start();
  await replica.startOver('m1');
  show(change(list) as Wires);
  await replica.want('m1', 'STOPPED');
  show(list);
  const found = await search();
  expect(found).toMatchObject({
    replica: { state: 'STOPPED' },
    transactions: { search: { source: 'SCAN' } },
  });
  expect(found.ids).toEqual(list.map(({ id }) => id));
  await replica.startOver('m1');
  expect(await search()).toMatchObject({ transactions: { search: { source: 'REPLICA' } } });
});

test('`maxAgeSeconds: 0` finds what has just been made, and is an error below 0', async () => {
  const list = toWires(payments(15));
  show(list.slice(1));
  await start();
  await replica.startOver('m1');
  show(list);
  const found = await search('{ currency: ["EUR"] }', ', maxAgeSeconds: 0');
  expect(found.ids).toEqual(list.map(({ id }) => id));
  expect(found).toMatchObject({ transactions: { search: { source: 'REPLICA' } } });
  const { errors } = await search('{ currency: ["EUR"] }', ', maxAgeSeconds: -1');
  expect(errors).toMatchObject([
    { message: '`maxAgeSeconds` must be at least 0.', extensions: { code: 'BAD_USER_INPUT' } },
  ]);
});

test('a service that has forgotten its newest and its oldest items is copied again', async () => {
  const list = toWires(payments(60));
  show(list);
  await start();
  await replica.startOver('m1');
  // The item behind which a poll begins is among them, so the service rejects the poll.
  const left = list.slice(25, 50);
  show(left);
  await expect
    .poll(async () => {
      await replica.store.want(['m1']);
      return replica.records('m1', 'txn');
    }, PATIENT)
    .toEqual(left);
  await replica.want('m1', 'READY');
  expect((await search()).ids).toEqual(left.map(({ id }) => id));
});

test('a comparison repairs what nothing else shows, and counts it', async () => {
  const list = toWires(payments(45));
  show(list);
  await start();
  await replica.startOver('m1');
  expect(await replica.compare('m1')).toBe(0);
  const [changed, gone] = [list[40], list[30]];
  const hidden = list[35];
  const now = list
    .filter((one) => one !== gone)
    .map((one) => (one === changed ? { ...one, descriptor: 'changed' } : one));
  show(now.filter((one) => one !== hidden));
  // The changed one is open, so it is read again anyway, and not counted.
  expect(await replica.compare('m1')).toBe(2);
  expect((await search('{ statementDescriptor: "changed" }')).ids).toEqual([changed?.id]);
  // It comes back, at its place.
  show(now);
  expect(await replica.compare('m1')).toBe(3);
  expect((await search()).ids).toEqual(now.map(({ id }) => id));
});

test('a comparison does not forget that a write is not shown yet', async () => {
  const forgotten: string[] = [];
  const shown = {
    ...replica.shown,
    markAll: async (ids: readonly string[]) => void forgotten.push(...ids),
  };
  show(toWires(payments(5)));
  gateway = await startSearchGateway(service, {
    maxSearchCalls: 5,
    pageMax: 10,
    replica: { ...replica, shown },
  });
  await replica.ready();
  expect(forgotten).toEqual(['m1']);
  await replica.compare('m1');
  expect(forgotten).toEqual(['m1']);
});

test('one request reads a limited part of the replica, and the next one continues', async () => {
  const count = 1_500;
  const custom = { note: 'x'.repeat(20_000) };
  show(toWires(payments(count)).map((one) => ({ ...one, custom })));
  gateway = await startSearchGateway(service, { maxSearchCalls: 5, pageMax: 50, replica });
  await replica.startOver('m1');
  const counts: number[] = [];
  for (let after: string | null = null, isComplete = false; !isComplete; ) {
    const { data, errors } = await gateway.ask(
      `query ($after: String) { merchant(id: "m1") { transactionTotals(after: $after, filter: { text: "xx" }) {
        groups { count } search { complete source } endCursor
      } } }`,
      { after },
      'any-key',
    );
    expect(errors).toBeUndefined();
    const { groups, search: progress, endCursor } = data.merchant.transactionTotals;
    expect(progress.source).toBe('REPLICA');
    counts.push(groups.reduce((sum: number, one: { count: number }) => sum + one.count, 0));
    [after, isComplete] = [endCursor, progress.complete];
  }
  expect(counts.length).toBeGreaterThan(1);
  expect(counts.reduce((sum, one) => sum + one, 0)).toBe(count);
});

test('requests that want it new cause at most a poll a second', async () => {
  show(toWires(payments(15)));
  await start();
  await replica.startOver('m1');
  service.requests.length = 0;
  const begun = performance.now();
  for (let request = 0; request < 4; request++) {
    expect((await search('{ currency: ["EUR"] }', ', maxAgeSeconds: 0')).errors).toBeUndefined();
  }
  const polls = service.requests.filter((url) => url.startsWith('/merchants/m1/lines'));
  expect(polls.length).toBeLessThanOrEqual(2 + (performance.now() - begun) / 1_000);
});
