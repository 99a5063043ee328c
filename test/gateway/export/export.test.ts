import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { toLine } from '../../../src/gateway/export/run-export.ts';
import { readGatewaySettings } from '../../../src/gateway/settings/settings.ts';
import { createMemoryStore } from '../../money/support/memory-store.ts';
import { patientGateway, patientStore } from '../../support/patience.ts';
import { type StackOptions, startGateway } from '../../support/start-stack.ts';
import { startStubService } from '../../support/stub-service.ts';
import { signToken, tokenSettings } from '../../support/token.ts';
import { type LedgerService, startLedgerService, type Wire } from '../search/ledger-service.ts';
import { HOUR, type Payment, plain, START, toWire } from '../search/payment-model.ts';
import { parseCsv, withoutApostrophe } from './parse-csv.ts';

const merchant: Wire = { id: 'm1', currency: 'EUR', test: true };

const { connections } = readGatewaySettings({});

let service: LedgerService;
let gateway: Awaited<ReturnType<typeof start>>;
const start = ({ services = {}, ...changes }: StackOptions = {}) =>
  startGateway({
    services: { usersUrl: service.url, paymentsUrl: service.url, posUrl: service.url, ...services },
    pageMax: 10,
    store: createMemoryStore(Date.now, patientStore.leaseMs),
    ...changes,
  });
beforeAll(async () => {
  service = await startLedgerService();
  gateway = await start();
});
afterAll(async () => {
  expect(gateway?.bugs).toEqual([]);
  await gateway?.close();
  await service?.close();
});

/** Payments that differ in nothing but their time, newest first. */
const payments = (count: number): Payment[] =>
  Array.from({ length: count }, (_, index) => ({
    ...plain,
    id: `t${count - index}`,
    created: START + (count - index) * HOUR,
    custom: { note: `=note "${index}", 🥐` },
  }));

function show(list: readonly Payment[], change = (wire: Wire) => wire): void {
  const transactions = list.map((payment) => change(toWire(payment, 'm1')));
  service.show({ merchant, transactions, lines: [], disputes: [] });
}

const QUERY = `query All($filter: TransactionFilter) {
  other: merchant(id: "m1") { id }
  merchant(id: "m1") {
    name
    transactions(filter: $filter, first: 3) {
      pageInfo { hasNextPage }
      edges { node { rawId ...Details card { last4 } trail { __typename } } }
    }
  }
}
fragment Details on Transaction { amount { decimal currency } note: custom }
query Unused { merchants { edges { cursor } } }`;

const asked = {
  ...{ query: QUERY, operationName: 'All', path: 'merchant.transactions', format: 'csv' },
};

async function post(body: object, { url } = gateway, key: string | null = 'any-key') {
  const headers = { 'content-type': 'application/json' };
  return fetch(new URL('/export', url), {
    method: 'POST',
    headers: key === null ? headers : { ...headers, authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
}

test('CSV has a header, the cursors, and the selected leaves in their order', async () => {
  show(payments(25), (wire) => ({ ...wire, descriptor: 'x' }));
  const response = await post(asked);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  const [header, ...rows] = parseCsv(await response.text());
  expect(header).toEqual([
    ...['cursor', 'rawId', 'amount.decimal', 'amount.currency', 'note', 'card.last4', 'trail'],
  ]);
  expect(rows.map(([, id]) => id)).toEqual(payments(25).map(({ id }) => id));
  expect(rows[0]?.slice(1)).toEqual([
    ...['t25', '10.00', 'EUR', '{"note":"=note \\"0\\", 🥐"}', '4242', '[]'],
  ]);
});

test('each page reads what leads to its list, and nothing that is not exported', async () => {
  show(payments(25));
  service.requests.length = 0;
  await (await post(asked)).text();
  expect(service.requests.toSorted()).toEqual([
    ...Array(3).fill('/merchants/m1'),
    '/merchants/m1/transactions?limit=10',
    '/merchants/m1/transactions?limit=10&before=t16',
    '/merchants/m1/transactions?limit=10&before=t6',
  ]);
});

test('JSON lines have a cursor and a node each, and at last the number of rows', async () => {
  show(payments(12));
  const response = await post({ ...asked, format: 'jsonl' });
  expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  const lines = (await response.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.slice(0, -1).map(({ node }) => node.rawId)).toEqual(
    payments(12).map(({ id }) => id),
  );
  expect(lines.at(-1)).toEqual({ end: { rows: 12, fieldErrors: 0, skipped: 0 } });
});

test('an export that stopped at any row goes on behind it, without a row lost or repeated', async () => {
  show(payments(23));
  const rows = parseCsv(await (await post(asked)).text()).slice(1);
  for (let at = 0; at < rows.length; at++) {
    const rest = parseCsv(await (await post({ ...asked, after: rows[at]?.[0] })).text());
    expect(rest).toEqual(rows.slice(at + 1));
  }
});

test('a filtered connection is exported to its end, however short its pages are', async () => {
  show(payments(60).map((one, index) => ({ ...one, recurring: index % 13 === 0 })));
  const rows = parseCsv(
    await (await post({ ...asked, variables: { filter: { recurring: true } } })).text(),
  );
  expect(rows.slice(1).map(([, id]) => id)).toEqual(['t60', 't47', 't34', 't21', 't8']);
});

test('an error of a field is an empty cell, and counted', async () => {
  show(payments(3), (wire) => (wire.id === 't2' ? { ...wire, card: { expiry: 'soon' } } : wire));
  const query =
    '{ merchant(id: "m1") { transactions { edges { node { rawId card { expiry last4 } } } } } }';
  const body = { query, path: 'merchant.transactions' };
  const rows = parseCsv(await (await post({ ...body, format: 'csv' })).text());
  expect(rows.map(([, ...cells]) => cells)).toEqual([
    ['rawId', 'card.expiry', 'card.last4'],
    ['t3', '', '4242'],
    ['t2', '', ''],
    ['t1', '', '4242'],
  ]);
  const lines = await (await post({ ...body, format: 'jsonl' })).text();
  expect(lines).toContain('{"end":{"rows":3,"fieldErrors":1,"skipped":0}}');
});

test('an item that is not a record is left out, and counted', async () => {
  show(payments(12), (wire) => (wire.id === 't5' ? { ...wire, id: '' } : wire));
  const lines = await (await post({ ...asked, format: 'jsonl' })).text();
  expect(lines).toContain('{"end":{"rows":11,"fieldErrors":0,"skipped":1}}');
});

/** Texts that are easy to get wrong. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '=1+1',
    "'=1",
    "''@x",
    '-1',
    '-1.5',
    '-x',
    '+4',
    '\tx',
    '\rx',
    '"',
    ',',
    '\r\n',
    "'",
  ),
  fc.constantFrom('🥐'.repeat(5_000), 'a"b,c\nd', ''),
);

test('every text survives a CSV parser and the removal of one apostrophe, and none is a formula', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 2, maxLength: 5 }), (cells) => {
      const [row = []] = parseCsv(toLine(cells));
      expect(row.map(withoutApostrophe)).toEqual(cells);
      for (const cell of row) {
        if (!/^-?\d+(\.\d+)?$/.test(cell)) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
      }
    }),
    { numRuns: 1_000 },
  );
  expect(toLine([-5, true, null, '-5', [1, 'a'], { a: '"' }])).toBe(
    '-5,true,,-5,"[1,""a""]","{""a"":""\\""""}"\r\n',
  );
});

describe('what cannot be exported', () => {
  const at = (path: string, query = QUERY) => ({ ...asked, path, query });
  const one = (query: string, path = 'merchant.transactions') => ({
    ...asked,
    query,
    path,
    operationName: null,
  });
  test.each<[object, string]>([
    [{ ...asked, path: 'merchant' }, '`path` must lead to a connection.'],
    [at('merchant.payments'), '`path` must name fields of the query'],
    [at(''), '`path` must name fields of the query'],
    [
      one(
        '{ nodes(ids: ["mer_m1"]) { ... on Merchant { transactions { edges { node { id } } } } } }',
        'nodes.transactions',
      ),
      '`path` must not go through a list.',
    ],
    [
      one('{ merchant(id: "m1") { transactions(last: 5) { edges { node { id } } } } }'),
      'must not have `last` or `before`',
    ],
    [
      one('{ merchant(id: "m1") { transactions { pageInfo { hasNextPage } } } }'),
      'must select `edges { node { … } }`',
    ],
    [one('{ merchant(id: "m1") { transactions { edges { node { id } } } '), 'Syntax Error'],
    [one('{ nothing }'), 'Cannot query field'],
    [
      one('mutation { createApp(input: {}) { __typename } }', 'createApp'),
      'Only a query can be exported.',
    ],
    [{ ...asked, operationName: 'Other' }, '`operationName` must select one operation'],
    [{ ...asked, format: 'xls' }, '`format` must be `csv`, `jsonl` or `xlsx`.'],
    [{ ...asked, documentId: 'x' }, 'Send `query` or `documentId`, not both'],
    [{ ...asked, id: 'x' }, 'The body may only have `query`'],
    [{ ...asked, query: 1 }, '`query` must be a string'],
    [{ ...asked, path: 1 }, '`path` must name the connection'],
    [
      { query: '{ merchant(id: "m1") { name } }', format: 'csv' },
      'selects no connection that can be exported',
    ],
    [
      {
        query: '{ nodes(ids: ["mer_m1"]) { ... on Merchant { apps { edges { node { id } } } } } }',
        format: 'csv',
      },
      'selects no connection that can be exported',
    ],
    [
      {
        query:
          '{ merchant(id: "m1") { apps { edges { node { id } } } all: lines { edges { node { id } } } } }',
        format: 'csv',
      },
      '`path` must name one connection of the query: merchant.apps, merchant.all.',
    ],
    [{ ...asked, variables: [] }, '`variables` must be an object.'],
  ])('%j says what to change', async (body, message) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    const { errors } = await response.json();
    expect(errors[0].message).toContain(message);
  });

  test('a wrong variable, a missing key and a missing record have a status of their own', async () => {
    show([]);
    const wrong = await post({ ...asked, variables: { filter: { state: ['GONE'] } } });
    expect([wrong.status, (await wrong.json()).errors[0].extensions.code]).toEqual([
      400,
      'BAD_USER_INPUT',
    ]);
    expect((await post(asked, gateway, null)).status).toBe(401);
    const missing = await post({ ...asked, query: QUERY.replaceAll('"m1"', '"m2"') });
    expect([missing.status, (await missing.json()).errors[0].extensions.code]).toEqual([
      404,
      'NOT_FOUND',
    ]);
    const cursor = await post({ ...asked, after: 'x' });
    expect(cursor.status).toBe(400);
  });
});

test('a failure after the first page ends CSV without its last chunk, and JSON lines with an error', async () => {
  const transactions = payments(30).map((payment) => toWire(payment, 'm1'));
  const forbidden = 'transactions?limit=10&before=t11';
  service.show({ merchant, transactions, lines: [], disputes: [], forbidden });
  await expect(post(asked).then((response) => response.text())).rejects.toThrow('terminated');
  const lines = (await (await post({ ...asked, format: 'jsonl' })).text()).trim().split('\n');
  expect(lines).toHaveLength(21);
  expect(JSON.parse(lines.at(-1) ?? '')).toEqual({
    error: {
      code: 'FORBIDDEN',
      message: 'This app has no access.',
    },
  });
});

describe('an export ends when its caller', () => {
  const body = { ...asked, format: 'jsonl' };
  const message = 'The token has expired.';

  /** A gateway that accepts tokens, and one of them, which has expired once the second page was read. */
  async function startWithToken() {
    const exp = Math.floor(Date.now() / 1_000) + 60;
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    onTestFinished(() => void vi.useRealTimers());
    const transactions = payments(25).map((payment) => toWire(payment, 'm1'));
    const pages = [transactions.slice(0, 10), transactions.slice(10, 20), transactions.slice(20)];
    const stub = await startStubService({
      'GET /merchants/m1': { json: { merchant } },
      'GET /merchants/m1/transactions': (_request, response) => {
        const page = pages.shift();
        if (pages.length === 1) vi.setSystemTime(exp * 1_000);
        response.end(JSON.stringify({ transactions: page }));
      },
    });
    onTestFinished(() => stub.close());
    const services = { usersUrl: stub.url, paymentsUrl: stub.url, posUrl: stub.url };
    const auth = tokenSettings('key-of-the-gateway', { JWT_CLOCK_TOLERANCE_MS: '0' });
    const one = await start({ ...auth, services });
    onTestFinished(() => one.close());
    return { one, stub, token: await signToken({ merchants: ['m1'], exp }) };
  }

  test('has a token that expires: the next page is not read', async () => {
    const { one, stub, token } = await startWithToken();
    const lines = (await (await post(body, one, token)).text()).trim().split('\n');
    expect(lines).toHaveLength(21);
    expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ error: { code: 'UNAUTHENTICATED', message } });
    expect(stub.requests).toHaveLength(4);
    const late = await post(body, one, token);
    expect([late.status, (await late.json()).errors[0].message]).toEqual([401, message]);
  });

  test('has a token that expires: CSV ends without its last chunk', async () => {
    const { one, token } = await startWithToken();
    await expect(post(asked, one, token).then((response) => response.text())).rejects.toThrow(
      'terminated',
    );
  });

  test('has a key that is no longer accepted, also if only the gateway asks for it', async () => {
    let isAccepted = true;
    const users = Array.from({ length: 25 }, (_, index) => ({ id: `u${index}`, name: 'Ada' }));
    const stub = await startStubService({
      'GET /me': (_request, response) => {
        response.writeHead(isAccepted ? 200 : 401, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ identity: { id: 'a1' } }));
        isAccepted = false;
      },
      'GET /users': { json: users },
    });
    onTestFinished(() => stub.close());
    const services = { usersUrl: stub.url, paymentsUrl: stub.url, posUrl: stub.url };
    const one = await start({ services, usersAccess: ['a1'], usersAccessTtlMs: 0 });
    onTestFinished(() => one.close());
    const query = '{ users { edges { node { rawId } } } }';
    const response = await post({ query, format: 'jsonl' }, one);
    const lines = (await response.text()).trim().split('\n');
    expect(lines).toHaveLength(11);
    expect(JSON.parse(lines.at(-1) ?? '').error.code).toBe('UNAUTHENTICATED');
    // The list of users has no pages, so it is read once.
    expect(stub.requests.filter((one) => one === 'GET /users')).toHaveLength(1);
  });
});

test('an export ends with an error at its limit, and says how to go on', async () => {
  const limits = { ...patientGateway.exports, maxItems: 20 };
  const small = await start({ exports: limits });
  show(payments(25));
  const lines = (await (await post({ ...asked, format: 'jsonl' }, small)).text())
    .trim()
    .split('\n');
  expect(JSON.parse(lines.at(-1) ?? '')).toEqual({
    error: {
      code: 'EXPORT_LIMIT',
      message: 'The export stopped after 20 items. Continue with `after`.',
    },
  });
  expect(lines).toHaveLength(21);
  await small.close();
  const none = await start({ exports: { ...limits, inFlight: 0 } });
  const busy = await post(asked, none);
  expect([busy.status, busy.headers.get('retry-after')]).toEqual([503, '10']);
  await none.close();
});

test('a client that leaves ends its export, and makes room for another', async () => {
  const limits = { ...patientGateway.exports, inFlight: 1 };
  const one = await start({ exports: limits, pageMax: 100 });
  const note = 'x'.repeat(10_000);
  show(payments(3_000).map((payment) => ({ ...payment, custom: { note } })));
  const leaving = new AbortController();
  const first = await fetch(new URL('/export', one.url), {
    ...{ method: 'POST', signal: leaving.signal, body: JSON.stringify(asked) },
    headers: { 'content-type': 'application/json', authorization: 'Bearer any-key' },
  });
  expect(first.status).toBe(200);
  expect((await post(asked, one)).status).toBe(503);
  service.requests.length = 0;
  leaving.abort();
  await expect.poll(async () => (await post({ ...asked, query: '{' }, one)).status).toBe(400);
  // What nobody reads is not fetched: far from all of the 30 pages.
  expect(service.requests.length).toBeLessThan(30);
  await one.close();
});

test('an export waits so that it makes no more calls in a second than it may; a client that leaves ends the wait', async () => {
  const limits = { ...patientGateway.exports, inFlight: 1, maxCallsPerSecond: 0.1 };
  const slow = await start({ exports: limits });
  show(payments(30));
  service.requests.length = 0;
  const leaving = new AbortController();
  const first = await fetch(new URL('/export', slow.url), {
    ...{ method: 'POST', signal: leaving.signal, body: JSON.stringify(asked) },
    headers: { 'content-type': 'application/json', authorization: 'Bearer any-key' },
  });
  const page = await first.body?.getReader().read();
  expect(parseCsv(Buffer.from(page?.value ?? []).toString())).toHaveLength(11);
  // The merchant and a page: 20 seconds at this pace.
  expect(service.requests).toHaveLength(2);
  leaving.abort();
  await expect.poll(async () => (await post({ ...asked, query: '{' }, slow)).status).toBe(400);
  expect(service.requests).toHaveLength(2);
  await slow.close();
});

test('fragments that contain each other many times are read once', async () => {
  show(payments(1));
  const count = 60;
  const fragments = Array.from({ length: count }, (_, at) =>
    at === count - 1
      ? `fragment F${at} on Transaction { rawId }`
      : `fragment F${at} on Transaction { ...F${at + 1} ...F${at + 1} }`,
  );
  const query = `{ merchant(id: "m1") { transactions { edges { node { ...F0 } } } } } ${fragments.join(' ')}`;
  const response = await post({ query, path: 'merchant.transactions', format: 'csv' });
  expect(parseCsv(await response.text())[0]).toEqual(['cursor', 'rawId']);
});

test('without a path, the only connection outside of lists is exported', async () => {
  show(payments(3));
  const query = `{ merchant(id: "m1") { transactions { edges { node { rawId disputes { edges { node { id } } } } } } } }`;
  const response = await post({ query, format: 'csv' });
  expect(parseCsv(await response.text()).map(([, id]) => id)).toEqual(['rawId', 't3', 't2', 't1']);
});

test('a connection inside the exported one is a column, and is not taken for the exported one', async () => {
  show(payments(2));
  const query = `{ merchant(id: "m1") { transactions { edges { node { rawId disputes { edges { node { rawId } } } } } } } }`;
  const response = await post({ query, path: 'merchant.transactions', format: 'csv' });
  expect(parseCsv(await response.text()).map((row) => row.slice(1))).toEqual([
    ['rawId', 'disputes.edges'],
    ['t2', '[]'],
    ['t1', '[]'],
  ]);
});

test('a record that the service fails to show ends a filtered export with an error', async () => {
  const transactions = payments(15).map((payment) => toWire(payment, 'm1'));
  const shown = { merchant, transactions, lines: [], disputes: [], omitted: ['trail'] };
  for (const [failing, code] of [
    ['t15', 502],
    ['t3', 200],
  ] as const) {
    service.show({ ...shown, failing });
    const variables = { filter: { state: ['AUTHORIZED'] } };
    const response = await post({ ...asked, format: 'jsonl', variables });
    expect(response.status).toBe(code);
    expect(await response.text()).toMatch(/"(error|errors)":/);
  }
});

test('a client that reads is not disconnected, however long its export takes', async () => {
  const { upstream } = patientGateway;
  const quick = await start({
    upstream,
    exports: { ...patientGateway.exports, maxCallsPerSecond: 2 },
    connections: { ...connections, responseMs: 1_000 },
  });
  show(payments(45));
  const lines = (await (await post({ ...asked, format: 'jsonl' }, quick)).text())
    .trim()
    .split('\n');
  expect(lines).toHaveLength(46);
  await quick.close();
});

test('one app leaves a place for another, and one without points is told so', async () => {
  const one = await start({ rate: { pointsPerMinute: 1, keylessPerMinute: 0 } });
  show(payments(2));
  expect((await post(asked, one)).status).toBe(200);
  const limited = await post(asked, one);
  expect([limited.status, (await limited.json()).errors[0].extensions.code]).toEqual([
    429,
    'RATE_LIMITED',
  ]);
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  expect((await post(asked, one, 'another-key')).status).toBe(200);
  await one.close();
});

describe('with HTTP/1.0, as some proxies use it', () => {
  /** Sends a request for CSV. Rejects if the response is cut off. */
  async function postOld(body: object): Promise<string> {
    const text = JSON.stringify(body);
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
    socket.write(
      `POST /export HTTP/1.0\r\nhost: localhost\r\nauthorization: Bearer any-key\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`,
    );
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    return answer;
  }

  test('an export is complete', async () => {
    show(payments(12));
    const [head = '', csv = ''] = (await postOld(asked)).split(/\r\n\r\n(.*)/s);
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    expect(head).not.toMatch(/^(trailer|transfer-encoding):/im);
    expect(parseCsv(csv)).toHaveLength(13);
  });

  test('one that fails resets the connection, because nothing else tells it from a complete one', async () => {
    const transactions = payments(30).map((payment) => toWire(payment, 'm1'));
    const forbidden = 'transactions?limit=10&before=t11';
    service.show({ merchant, transactions, lines: [], disputes: [], forbidden });
    await expect(postOld(asked)).rejects.toThrow('ECONNRESET');
  });
});
