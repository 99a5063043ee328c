import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createControl } from '../../src/sandbox/testing/control-client.ts';
import { rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { EUR_MERCHANT } from './subject.ts';

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>;
let controlUrl: string;
let transactionId: string;
beforeAll(async () => {
  sandbox = await startTestSandbox({ controlPort: 0 });
  controlUrl = sandbox.controlUrl ?? '';
});
beforeEach(async () => {
  const control = createControl(controlUrl);
  await control.reset();
  ({ transactionId } = await control.pay({ merchantId: EUR_MERCHANT, amount: 500 }));
  const payments = rest(sandbox.paymentsUrl, sandbox.demoApp.key);
  await payments.post(`/transactions/${transactionId}/captures`, { amount: 500 });
});
afterEach(() => createControl(controlUrl).faults.clear());
afterAll(() => sandbox.close());

const YEARS = 'Must be from the year 1970 to the year 8999';
const TEXT = 'Must be valid Unicode without U+0000';
const LINE = 'Must be one line of text, not only spaces';

test.each([
  ['/reset', { time: '0000-01-01T00:00:00Z' }, 'time', YEARS],
  ['/reset', { time: '0000-01-01T00:00:00+23:59' }, 'time', YEARS],
  ['/reset', { time: '9999-12-31T23:59:59.999Z' }, 'time', YEARS],
  ['/clock/advance', { to: '9000-01-01T00:00:00Z' }, 'to', YEARS],
  ['/clock/advance', { ms: 253_402_300_800_000 }, 'ms', 'Must end before the year 9000'],
  ['/scenes', { name: 'a\0b' }, 'name', TEXT],
  ['/scenes', { name: 'a\r\nBcc: evil@example.com' }, 'name', LINE],
  ['/scenes', { name: '  ' }, 'name', LINE],
  ['/scenes', { name: '' }, 'name', 'Must not be empty'],
  ['/scenes', { name: 'a\u202eb' }, 'name', LINE],
  ['/scenes', { currency: 'BGN' }, 'currency', 'Is withdrawn'],
  [
    '/scenes',
    {
      payments: [
        { state: 'captured', count: 100 },
        { state: 'recurring', count: 26 },
      ],
    },
    'payments',
    'Must make at most 200 payments, where `recurring` makes 4; these make 204',
  ],
  ['/snapshots', { name: '..' }, 'name', 'and not be `.` or `..`'],
  ['/snapshots', { name: '.' }, 'name', 'and not be `.` or `..`'],
  ['/payments', {}, 'body', 'Send either `link` or `merchantId`'],
  ['/payments', { link: 'http://x/', merchantId: EUR_MERCHANT }, 'body', 'Send either `link` or'],
  ['/payments', { merchantId: EUR_MERCHANT }, 'amount', 'Missing'],
  ['/payments', { link: 'http://evil.example/?value=1' }, 'link', 'Must be a link to http://127'],
  ['/payments', { merchantId: `txn_${EUR_MERCHANT}`, amount: 1 }, 'merchantId', 'of a merchant in'],
  ['/payments', { merchantId: EUR_MERCHANT, amount: 1, reference: 'a\0' }, 'reference', TEXT],
  ['/clock/advance', { ms: 0, to: '2030-01-01T00:00:00Z' }, 'body', 'Send either `ms` or `to`'],
  ['/faults', { kind: 'status', status: 204, body: {} }, 'body', 'a response with the status 204'],
  ['/faults', { kind: 'stale', agoMs: 1, method: 'POST' }, 'method', 'Must be "GET"'],
  ['/faults', { kind: 'stale', agoMs: 1, route: '/apps' }, 'route', 'Must be one of'],
  ['/faults', { kind: 'drop', merchantId: 'f'.repeat(24) }, 'merchantId', 'the id of a merchant'],
  [
    '/faults',
    { kind: 'drop', service: 'users', merchantId: EUR_MERCHANT },
    'merchantId',
    'user records belong to no merchant',
  ],
])('%s with %j is rejected, and nothing else happens', async (path, body, field, message) => {
  const response = await rest(controlUrl).post(path, body);
  expect([response.status, response.body]).toEqual([
    400,
    [{ field, message: expect.stringContaining(message) }],
  ]);
});

test.each([
  [{ reason: { code: 1, title: 'a\0b' } }, 'reason.title', TEXT],
  [{ reason: { code: 2_147_483_648, title: 'x' } }, 'reason.code', 'at most 2147483647'],
  [{ due: '0000-01-01T00:00:00Z' }, 'due', YEARS],
  [{ due: '9999-12-31T23:59:59-23:59' }, 'due', YEARS],
  [{ due: '2000-01-01T00:00:00Z' }, 'due', 'Must be later than the clock'],
  [{ outcome: 'won', outcomeInMs: 253_402_300_800_000 }, 'outcomeInMs', 'Must be at most'],
  [{ amount: 501 }, 'amount', 'Can dispute at most EUR 5'],
])('a dispute with %j is rejected', async (given, field, message) => {
  const response = await rest(controlUrl).post('/disputes', { transactionId, ...given });
  expect([response.status, response.body]).toEqual([
    400,
    [{ field, message: expect.stringContaining(message) }],
  ]);
});

test.each([
  ['0000-01-01T00:00:00Z', YEARS],
  ['9999-12-31T23:59:59-23:59', YEARS],
  ['2999-01-01T00:00:00Z', 'Must not be later than the clock'],
])('a fraud alert that was reported at %s is rejected', async (reported, message) => {
  const response = await rest(controlUrl).post('/frauds', { transactionId, reported });
  expect([response.status, response.body]).toEqual([
    400,
    [{ field: 'reported', message: expect.stringContaining(message) }],
  ]);
});

test('at the latest time of the clock, everything still works', async () => {
  const control = createControl(controlUrl);
  await control.reset({ time: '8999-12-31T23:00:00Z' });
  expect(await control.pay({ merchantId: EUR_MERCHANT, amount: 5 })).toMatchObject({
    successful: true,
  });
  await control.payouts.setSchedule(366 * 24 * 3_600_000);
  await control.makeScene();
  await control.reset({ time: '1970-01-01T00:00:00Z' });
  expect((await control.clock.read()).now).toMatch(/^1970-01-01T00:00:/);
  await control.makeScene();
  await control.reset();
});

test('ids after the latest second of an id stay unique, in order and importable', async () => {
  const control = createControl(controlUrl);
  await control.reset({ time: '2378-04-22T19:13:19Z' });
  const ids = [];
  for (let count = 0; count < 5; count++) {
    ids.push((await control.pay({ merchantId: EUR_MERCHANT, amount: 5 })).transactionId);
  }
  expect(ids).toEqual([...new Set(ids)].sort());
  await control.snapshots.take('late');
  await control.snapshots.import('late', await control.snapshots.export('late'));
  await control.snapshots.remove('late');
});

test('a payment takes an amount from the link or from the body, not from both', async () => {
  const { body } = await rest(controlUrl).get('/sandbox');
  expect(Object.keys(body)).not.toContain('posIsLocal');
  const link = sandbox.paymentLink ?? '';
  const both = await rest(controlUrl).post('/payments', { link, amount: 777 });
  expect(both.body).toEqual([
    { field: 'amount', message: expect.stringContaining('Leave it out') },
  ]);
  const local = link.replace('127.0.0.1', 'localhost');
  expect((await rest(controlUrl).post('/payments', { link: local })).status).toBe(201);
});

test('a payout that the balance does not cover says so, also when it is negative', async () => {
  const control = createControl(controlUrl);
  const { merchant } = await control.makeScene({
    payments: [{ state: 'disputeLost', amount: 100 }],
  });
  const payout = control.payouts.make({ merchantId: merchant.id, amount: 500 });
  await expect(payout).rejects.toThrow(
    /Not EUR 5 can be paid out: the balance of the merchant is EUR -15\.\d+$/,
  );
});

test('the functions reject an empty id, and escape every other one', async () => {
  const { faults, snapshots, expire, disputes, clock } = createControl(controlUrl);
  await faults.add({ kind: 'delay', delayMs: 1 });
  await expect(faults.remove('')).rejects.toThrow('An id or a name is missing: it was "".');
  await expect(snapshots.export('..')).rejects.toThrow('missing: it was ".."');
  await expect(faults.remove('../clock')).rejects.toMatchObject({ status: 404 });
  await expect(expire('../clock/freeze?x=')).rejects.toMatchObject({ status: 404 });
  await expect(disputes.decide('../x', 'won')).rejects.toMatchObject({ status: 404 });
  expect(await faults.list()).toHaveLength(1);
  expect((await clock.read()).frozen).toBe(false);
});

test('the OpenAPI document has the bodies of errors, also of 405 and 414', async () => {
  const { body: document } = await rest(controlUrl).get('/openapi.json');
  const { responses } = document.paths['/faults'].post;
  const of = (status: number) => responses[status].content['application/json'].schema.$ref;
  expect([of(400), of(405), of(414)]).toEqual([
    '#/components/schemas/FieldErrors',
    '#/components/schemas/Error',
    '#/components/schemas/Error',
  ]);
  expect(Object.keys(document.components.schemas)).toEqual(
    expect.arrayContaining(['Error', 'FieldErrors']),
  );
});
