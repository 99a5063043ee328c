import { request } from 'node:http';
import { expect, test } from 'vitest';
import { readGatewaySettings } from '../../src/gateway/settings/settings.ts';
import { signal } from '../money/support/faults.ts';
import { patientGateway } from '../support/patience.ts';
import type { StubAnswer } from '../support/stub-service.ts';
import { gatewayBefore } from './support/before-services.ts';

// The responses of services that all requests hold together are bounded, and so is the text of one
// response.

const MAX_HELD = 1_024 ** 2;
/** Three of them fit, with what else the same requests read. */
const LARGE = 310_000;
const large = { id: 't1', merchantId: 'm1', custom: 'x'.repeat(LARGE) };
const largeText = JSON.stringify(large);

const READ = '{ transaction(id: "t1") { rawId } }';
const READ_ON = '{ transaction(id: "t1") { rawId merchant { name } } }';
const done = { transaction: { rawId: 't1', merchant: { name: 'Shop' } } };

/** A gateway in front of a payments service whose merchant is held until the test lets it go. */
async function gatewayBeforeLarge(answers: Record<string, StubAnswer> = {}, getMs?: number) {
  const released = signal();
  const gateway = await gatewayBefore(
    {
      'GET /transactions/t1': { json: large },
      'GET /merchants/m1': async (_request, response) => {
        await released.sent;
        response.end('{"id":"m1","name":"Shop"}');
      },
      ...answers,
    },
    { maxHeldBytes: MAX_HELD },
    getMs === undefined ? {} : { limits: { ...patientGateway.limits, getMs } },
  );
  const { payments, ask } = gateway;
  const count = (call: string) => payments.requests.filter((each) => each === call).length;
  /** Begins requests that hold a large response each. They do not join, because keys differ. */
  const hold = async (holders: number, name = 'holder') => {
    const before = count('GET /merchants/m1');
    const held = Array.from({ length: holders }, (_, index) => ask(READ_ON, `${name}${index}`));
    await expect.poll(() => count('GET /merchants/m1')).toBe(before + holders);
    return held;
  };
  return { ...gateway, count, hold, release: released.send };
}

const overloaded = [expect.objectContaining({ path: ['transaction'] })];

test('reads are refused while the running requests hold too much, and then made again', async () => {
  const { ask, hold, release } = await gatewayBeforeLarge();
  const held = await hold(3);
  const refused = await Promise.all(
    Array.from({ length: 20 }, (_, index) => ask(READ, `other${index}`)),
  );
  for (const { data, errors } of refused) {
    expect(data).toEqual({ transaction: null });
    expect(errors).toEqual(overloaded);
    expect(errors?.[0]?.extensions).toEqual({ code: 'OVERLOADED', service: 'payments' });
  }
  release();
  for (const answer of held) expect((await answer).data).toEqual(done);
  for (const answer of await hold(3, 'later')) expect((await answer).data).toEqual(done);
});

test('of many requests for more than there is room for, some are answered and others refused', async () => {
  const all = 30;
  const arrived = signal();
  let count = 0;
  const { ask, hold, release } = await gatewayBeforeLarge({
    'GET /lines/l1': async (_request, response) => {
      if (++count === all) arrived.send();
      await arrived.sent;
      response.end(JSON.stringify({ id: 'l1', merchantId: 'm1', text: large.custom }));
    },
  });
  // There is room for one more.
  const held = await hold(2);
  const answers = await Promise.all(
    Array.from({ length: all }, (_, index) => ask('{ line(id: "l1") { rawId } }', `key${index}`)),
  );
  const codes = answers.map(({ errors }) => errors?.[0]?.extensions.code);
  expect(new Set(codes)).toEqual(new Set([undefined, 'OVERLOADED']));
  release();
  for (const answer of held) expect((await answer).data).toEqual(done);
  for (const answer of await hold(3, 'later')) expect((await answer).data).toEqual(done);
});

const failing: [what: string, answer: StubAnswer, getMs?: number][] = [
  ['break', (_request, response) => void response.write(largeText, () => response.destroy())],
  ['never end', (_request, response) => void response.write(largeText.slice(0, -1)), 300],
  ['are not JSON', { text: `${largeText},` }],
  ['have an error status', { status: 500, json: large }],
  ['have no record', { json: [large.custom] }],
];

test.each(failing)('nothing is held of responses that %s', async (_what, answer, getMs) => {
  const { ask, hold, release } = await gatewayBeforeLarge({ 'GET /lines/l1': answer }, getMs);
  for (let count = 0; count < 5; count++) {
    expect((await ask('{ line(id: "l1") { rawId } }')).data).toEqual({ line: null });
  }
  release();
  for (const answered of await hold(3)) expect((await answered).data).toEqual(done);
});

test('nothing is held for clients that have disconnected', async () => {
  const { url, hold, count, release } = await gatewayBeforeLarge();
  for (let index = 0; index < 3; index++) {
    const headers = { 'content-type': 'application/json', authorization: `Bearer gone${index}` };
    const sent = request(`${url}/graphql`, { method: 'POST', headers });
    sent.on('error', () => {});
    sent.end(JSON.stringify({ query: READ_ON }));
    await expect.poll(() => count('GET /merchants/m1')).toBe(index + 1);
    sent.destroy();
  }
  release();
  await expect
    .poll(async () => {
      const answers = await Promise.all(await hold(3));
      return answers.every(({ errors }) => errors === undefined);
    })
    .toBe(true);
});

test('what a money operation reads after its POST is read in any case', async () => {
  const posted = signal();
  const created = '2026-01-01T00:00:00Z';
  const trail: object[] = [{ capture: true, amount: 500, created }];
  const transaction: StubAnswer = (_request, response) => {
    const amounts = { currency: 'EUR', amount: 1_000, pendingAmount: 500, capturedAmount: 500 };
    const record = { id: 't2', merchantId: 'm2', successful: true, ...amounts, trail };
    response.end(JSON.stringify(record));
  };
  const { ask, hold, count, release } = await gatewayBeforeLarge({
    'GET /transactions/t2': transaction,
    'POST /transactions/t2/captures': async (_request, response) => {
      await posted.sent;
      trail.push({ capture: true, amount: 1, created });
      response.end('{}');
    },
  });
  const capture = ask(`mutation { captureTransaction(input: { transactionId: "t2",
    amount: { minorUnits: 1, currency: "EUR" }, idempotencyKey: "k" }) {
    __typename ... on CaptureTransactionSuccess { transaction { rawId } trailEntry { createdAt } } } }`);
  await expect.poll(() => count('POST /transactions/t2/captures')).toBe(1);
  const held = await hold(3);
  expect((await ask(READ, 'other')).errors?.[0]?.extensions.code).toBe('OVERLOADED');
  posted.send();
  expect((await capture).data).toMatchObject({
    captureTransaction: {
      __typename: 'CaptureTransactionSuccess',
      transaction: { rawId: 't2' },
    },
  });
  release();
  await Promise.all(held);
});

test.each([
  ['the fast path', {}],
  ['Yoga', { 'graphql-cost': '1' }],
])('%s makes no text of a response that is too large', async (_what, headers) => {
  // As text, the response would have more characters than a string of JavaScript can have.
  const name = 'x'.repeat(2_000_000);
  const listed = Array.from({ length: 100 }, (_, index) => ({ id: `t${index}`, merchantId: 'm1' }));
  const { http } = readGatewaySettings({});
  const { url, bugs } = await gatewayBefore(
    {
      'GET /merchants/m1': { json: { id: 'm1', name } },
      'GET /merchants/m1/transactions': { json: listed },
    },
    {},
    { http },
  );
  const list = 'transactions(first: 100) { edges { node { merchant { name } } } }';
  const query = `{ merchant(id: "m1") { ${['a', 'b', 'c'].map((each) => `${each}: ${list}`)} } }`;
  const json = { 'content-type': 'application/json', authorization: 'Bearer key', ...headers };
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ query }),
  });
  expect(response.status).toBe(413);
  expect((await response.json()).errors[0].extensions).toEqual({ code: 'RESPONSE_TOO_LARGE' });
  expect(bugs).toEqual([]);
});
