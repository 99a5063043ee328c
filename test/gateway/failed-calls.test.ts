import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createLog } from '../../src/gateway/telemetry/log.ts';
import { logFailedCalls } from '../../src/gateway/telemetry/log-failures.ts';
import { patientGateway } from '../support/patience.ts';
import { startGateway } from '../support/start-stack.ts';
import { type StubAnswer, startStubService } from '../support/stub-service.ts';
import { gatewayBefore, inTurn } from './support/before-services.ts';
import { fullBacklog, refusingAddress, unknownName } from './support/dead-addresses.ts';
import { garbled, resetInBody, silent, status } from './support/faults.ts';

const lines: string[] = [];
const requestLog = createLog('warn', { write: (line) => void lines.push(line) });
const read = () => lines.map((line) => JSON.parse(line));
beforeEach(() => {
  lines.length = 0;
});

const LIST = '{ merchant(id: "m1") { transactions(first: 3) { edges { cursor } } } }';
const CLOSED = 'the connection was closed before the response was complete';

const redirect =
  (location: string): StubAnswer =>
  (_request, response) =>
    void response.writeHead(301, { location }).end();

describe('a call that fails has a line in the log', () => {
  test.each<[what: string, answer: StubAnswer, status: number, cause: string]>([
    [
      'to another scheme',
      redirect('https://user:secret@pay.example:8443/m1?key=1#x'),
      301,
      'redirected to https://pay.example:8443',
    ],
    ['to no address', redirect('http://[secret'), 301, 'redirected to an invalid location'],
    ['to a file', redirect('file:///secret'), 301, 'redirected to an address that is not HTTP'],
    ['with a status', status(500), 500, 'status 500'],
    ['with too many requests', status(429), 429, 'status 429'],
    [
      'with a page of a proxy',
      { status: 502, text: '<html>secret' },
      502,
      'status 502, and the response is a page instead of JSON',
    ],
    ['with a page', { text: '<html>secret' }, 200, 'the response is a page instead of JSON'],
    ['with text', { text: 'secret' }, 200, 'the response is not JSON'],
    ['with no list', { json: { secret: 1 } }, 0, 'the response is not a list'],
    ['with a list of lists', { json: [['secret']] }, 0, 'the items of the list are not records'],
    ['with a reset', resetInBody, 200, `${CLOSED} (UND_ERR_SOCKET)`],
  ])('%s', async (_what, answer, code, cause) => {
    const { ask, url } = await gatewayBefore(
      { 'GET /merchants/m1/transactions': answer, 'GET /merchants/m1': { json: { id: 'm1' } } },
      {},
      { requestLog },
    );
    const { errors } = await ask(LIST, 'secret-key');
    expect(errors).toHaveLength(1);
    expect(JSON.stringify(errors)).not.toContain(cause);
    expect(read()).toEqual([
      {
        level: 'warn',
        time: expect.any(String),
        service: 'payments',
        method: 'GET',
        route: '/merchants/:id/transactions',
        status: code,
        cause,
        count: 1,
        msg: 'A call to a service has failed.',
      },
    ]);
    for (const hidden of ['secret', 'm1', 'limit=', url]) expect(lines[0]).not.toContain(hidden);
  });

  const { limits } = patientGateway;

  test.each([
    ['that is refused', refusingAddress, {}, 'the connection was refused (ECONNREFUSED)'],
    ['to an unknown name', unknownName, {}, expect.stringMatching(/^the host name /)],
    [
      'that gets no connection',
      fullBacklog,
      { getMs: 4_000 },
      'no connection within 2000 ms (half of UPSTREAM_GET_ATTEMPT_MS)',
    ],
  ])('%s', async (_what, startAddress, changes, cause) => {
    const url = await startAddress();
    const gateway = await startGateway({
      services: { usersUrl: url, paymentsUrl: url, posUrl: 'http://127.0.0.1:1' },
      limits: { ...limits, ...changes },
      requestLog,
    });
    onTestFinished(() => gateway.close());
    await gateway.ask('{ viewer { id } }', {}, 'key');
    expect(read()).toMatchObject([{ method: 'GET', route: '/me', status: 0, cause }]);
  });

  test.each([
    ['that is not answered in time', {}, 'within 300 ms (UPSTREAM_GET_ATTEMPT_MS)'],
    [
      'for which the request has no more time',
      { getMs: 60_000 },
      ': earlier attempts and REQUEST_DEADLINE_MS left no more time',
    ],
  ])('%s', async (_what, changes, cause) => {
    const { ask } = await gatewayBefore(
      { 'GET /transactions/t1': silent },
      {},
      { requestLog, limits: { ...limits, getMs: 300, ...changes }, deadlineMs: 1_000 },
    );
    await ask('{ transaction(id: "t1") { rawId } }');
    const expected = expect.stringMatching(/^no complete response within \d+ ms/);
    expect(read()).toMatchObject([{ status: 0, cause: expected }]);
    expect(read()[0].cause).toContain(cause);
  });

  test('that is a write, and whose response is not HTTP', async () => {
    const { ask } = await gatewayBefore(
      { 'PUT /merchants/m1': garbled },
      {},
      { requestLog, limits: { ...limits, writeMs: 60_000 } },
    );
    await ask('mutation { updateMerchant(input: { merchantId: "m1", name: "x" }) { __typename } }');
    const cause = 'the response is not HTTP';
    expect(read()).toMatchObject([{ method: 'PUT', route: '/merchants/:id', status: 0, cause }]);
  });
});

test('what callers do wrong has no line', async () => {
  const { ask } = await gatewayBefore(
    {
      'GET /transactions/t1': status(404),
      'GET /transactions/t2': status(401),
      'GET /transactions/t3': { status: 403, text: '' },
      'PUT /merchants/m1': status(422),
    },
    {},
    { requestLog },
  );
  for (const id of ['t1', 't2', 't3']) await ask(`{ transaction(id: "${id}") { rawId } }`, id);
  await ask('mutation { updateMerchant(input: { merchantId: "m1", name: "x" }) { __typename } }');
  expect(read()).toEqual([]);
});

test('an item that is not a record, and a field that cannot be read, have a line', async () => {
  const { ask } = await gatewayBefore(
    {
      'GET /merchants/m1': { json: { id: 'm1' } },
      'GET /merchants/m1/transactions': { json: [null, { id: 't1', status: 7.5, amount: 'x' }] },
    },
    {},
    { requestLog },
  );
  const { data } = await ask(LIST);
  expect(data.merchant.transactions.edges).toHaveLength(1);
  await ask('{ merchant(id: "m1") { transactions { edges { node { amount { minorUnits } } } } } }');
  expect(read()).toMatchObject([
    {
      route: '/merchants/:id/transactions',
      cause: 'items of the list are not records and are left out',
    },
    { service: 'payments', route: '-', status: 0, cause: 'the field `amount` is not valid' },
  ]);
});

test('a page with status 401 does not make the gateway refuse a key that is valid', async () => {
  const page = { status: 401, text: '<html>Sign in' };
  const { ask, payments } = await gatewayBefore({
    'GET /transactions/t1': inTurn(page, { json: { id: 't1' } }),
  });
  const query = '{ transaction(id: "t1") { rawId } }';
  const { errors } = await ask(query, 'key');
  expect(errors?.[0]?.extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
  expect((await ask(query, 'key')).data).toEqual({ transaction: { rawId: 't1' } });
  expect(payments.requests).toHaveLength(2);
});

test('calls that fail for the same reason are counted, until the gateway stops', async () => {
  const service = await startStubService({ 'GET /me': status(500), 'GET /lines/l1': status(503) });
  onTestFinished(() => service.close());
  const gateway = await startGateway({
    services: { usersUrl: service.url, paymentsUrl: service.url, posUrl: 'http://127.0.0.1:1' },
    requestLog,
  });
  const ask = (query: string) => gateway.ask(query, {}, 'key');
  for (let count = 0; count < 5; count++) await ask('{ viewer { id } }');
  await ask('{ line(id: "l1") { id } }');
  await gateway.close();
  expect(read()).toMatchObject([
    { cause: 'status 500', count: 1 },
    { cause: 'status 503', count: 1 },
    { cause: 'status 500', count: 4 },
  ]);
});

describe('the lines of one reason', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('are at least ten seconds apart, and count every call', () => {
    const counts: number[] = [];
    const calls = logFailedCalls({ failedCall: ({ count }) => void counts.push(count) });
    const [service, method, route] = ['payments', 'GET', '/me'];
    const fail = () =>
      calls.note({ service, method, route, status: 500, kind: 'status', cause: 'status 500' });
    for (let count = 0; count < 3; count++) fail();
    expect(counts).toEqual([1]);
    vi.advanceTimersByTime(10_000);
    expect(counts).toEqual([1, 2]);
    fail();
    expect(counts).toEqual([1, 2]);
    vi.advanceTimersByTime(10_000);
    expect(counts).toEqual([1, 2, 1]);
    vi.advanceTimersByTime(10_000);
    fail();
    expect(counts).toEqual([1, 2, 1, 1]);
    calls.stop();
  });
});
