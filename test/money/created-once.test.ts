import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type Fault, passOn, unanswered } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { shortWrites } from '../support/patience.ts';
import { startGateway } from '../support/start-stack.ts';
import { type Bench, startBench } from './bench.ts';
import { creations, IMPATIENT } from './creation.ts';

type Shop = Awaited<ReturnType<typeof creations>>;

let bench: Bench;
let shop: Shop;
beforeAll(async () => {
  bench = await startBench(IMPATIENT);
  shop = await creations(bench, await given(bench.stack).merchant());
});
afterAll(() => bench?.close());
beforeEach(() => bench.reset());

/** The service has done it; its answer is lost. */
const lostAnswer: Fault = async (forward, response) => {
  await forward();
  response.destroy();
};

/** The service has done it; something else is answered. */
const instead =
  (status: number, body: string): Fault =>
  async (forward, response) => {
    await forward();
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  };

test.each([
  ['is lost', lostAnswer],
  ['names no transaction', instead(201, '{"ok":true}')],
  ['is empty', instead(204, '')],
  ['is a 502', instead(502, '{}')],
] satisfies [string, Fault][])(
  'a payment whose answer %s is found again by its tag, and there is one',
  (_what, fault) => findsAgain(fault, shop),
);

test('a payment whose answer comes too late is found again by its tag, and there is one', async () => {
  const { usersUrl, posUrl, demoApp } = bench.stack.sandbox;
  const hasty = await startGateway({
    ...IMPATIENT,
    ...shortWrites,
    services: { usersUrl, posUrl, paymentsUrl: bench.proxy.url },
  });
  onTestFinished(hasty.close);
  const ask: typeof bench.ask = (query, variables) => hasty.ask(query, variables, demoApp.key);
  const merchant = await given(bench.stack).merchant();
  await findsAgain(unanswered(bench.proxy), await creations({ ...bench, ask }, merchant));
});

async function findsAgain(fault: Fault, shop: Shop): Promise<void> {
  const input = shop.wanted();
  let sentAs: unknown;
  bench.proxy.onWrite = (forward, response, request) => {
    sentAs = request.headers['idempotency-key'];
    return fault(forward, response, request);
  };
  const first = await shop.create(input);
  bench.proxy.onWrite = undefined;
  const operation = { kind: 'CREATE', status: 'SUCCEEDED', evidence: 'READ_BACK', advice: null };
  expect(first).toMatchObject({
    __typename: 'CreateTransactionSuccess',
    operation: { ...operation, replayed: false },
    transaction: { custom: { ...input.custom, tillgraph: { operation: sentAs } } },
  });
  expect(sentAs).not.toBe(input.idempotencyKey);
  const again = await shop.create(input);
  expect(again).toEqual({ ...first, operation: { ...first.operation, replayed: true } });
  expect(await shop.copies(input)).toMatchObject([{ id: first.transaction.rawId }]);
  expect(bench.posts()).toBe(1);
  const { data } = await bench.ask(
    `query ($merchant: ID!, $key: String!) {
        moneyOperation(merchantId: $merchant, idempotencyKey: $key) { transaction { rawId } }
      }`,
    { merchant: input.merchantId, key: input.idempotencyKey },
  );
  expect(data.moneyOperation.transaction).toEqual({ rawId: first.transaction.rawId });
}

test.each([
  ['is told', passOn, 'ANSWERED'],
  ['is lost', lostAnswer, 'READ_BACK'],
] satisfies [string, Fault, string][])(
  'a payment whose decline %s stays declined under its key',
  async (_what, fault, evidence) => {
    const input = shop.wanted('0120');
    bench.proxy.onWrite = fault;
    const first = await shop.create(input);
    bench.proxy.onWrite = undefined;
    const [kept, ...more] = await shop.copies(input);
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      __typename: 'ProcessingFailedError',
      code: 'PROCESSING_FAILED',
      processingError: { code: '7', message: 'Insufficient funds' },
      transaction: { rawId: kept.id, successful: false },
      operation: { status: 'REJECTED', evidence, advice: null, replayed: false },
    });
    const again = await shop.create(input);
    expect(again).toEqual({ ...first, operation: { ...first.operation, replayed: true } });
    expect(await shop.find(input)).toMatchObject({ status: 'REJECTED', evidence });
    expect(bench.posts()).toBe(1);
  },
);

test('a decline is kept without the payment that the service repeats in it', async () => {
  const input = shop.wanted();
  bench.proxy.onWrite = (_forward, response) => {
    const repeated = { transaction: { card: { bin: '410000', last4: '0120' }, custom: { a: 1 } } };
    const decline = { code: 7, message: 'Insufficient funds', client: true, response: repeated };
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(decline));
  };
  for (let tries = 0; tries < 2; tries++) {
    const { processingError } = await shop.create(input);
    expect(processingError.raw).toEqual({ code: 7, message: 'Insufficient funds', client: true });
  }
});

test('a decline in words that no database keeps is a decline all the same', async () => {
  const input = shop.wanted();
  bench.proxy.onWrite = (_forward, response) => {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end('{"code":"7","message":"no\\u0000","odd\\u0000":"\\udfff"}');
  };
  for (let tries = 0; tries < 2; tries++) {
    expect(await shop.create(input)).toMatchObject({ code: 'PROCESSING_FAILED' });
  }
  expect(await shop.find(input)).toMatchObject({ status: 'REJECTED', evidence: 'ANSWERED' });
  expect(bench.posts()).toBe(1);
});

test.each([
  ['amount', { amount: { minorUnits: 2000, currency: 'EUR' } }],
  ['currency', { amount: { minorUnits: 1990, currency: 'USD' } }],
  ['source', { source: { transactionId: 'txn_another' } }],
  ['kind of source', { source: { cardId: 'crd_another' } }],
  ['custom', { custom: { reference: 'another' } }],
  ['custom left out', { custom: null }],
  ['descriptor', { descriptor: 'ANOTHER SHOP' }],
])('a known key with another %s is refused, and nothing is sent', async (_what, change) => {
  const input = shop.wanted();
  await shop.create(input);
  bench.reset();
  expect(await shop.create({ ...input, ...change })).toMatchObject({
    code: 'IDEMPOTENCY_KEY_REUSED',
    path: ['input', 'idempotencyKey'],
  });
  expect(bench.posts()).toBe(0);
});

test('custom is the same whatever the order of its fields', async () => {
  const custom = { reference: 'b', nested: { x: 1, y: [2, { z: 3, a: 4 }] } };
  const input = { ...shop.wanted(), custom };
  await shop.create(input);
  const turned = { nested: { y: [2, { a: 4, z: 3 }], x: 1 }, reference: 'b' };
  expect((await shop.create({ ...input, custom: turned })).operation.replayed).toBe(true);
  const swapped = { ...custom, nested: { x: 1, y: [{ z: 3, a: 4 }, 2] } };
  expect((await shop.create({ ...input, custom: swapped })).code).toBe('IDEMPOTENCY_KEY_REUSED');
  expect(bench.posts()).toBe(1);
});

test.each([
  ['has the reserved field', { tillgraph: { operation: 'mine' } }],
  ['has the reserved field, empty', { order: 7, tillgraph: null }],
  ['is a list', [{ order: 7 }]],
  ['is a text', 'order 7'],
  ['is a number', 7],
])('custom that %s is refused before any call', async (_what, custom) => {
  const input = { ...shop.wanted(), custom };
  expect(await shop.create(input)).toMatchObject({
    code: 'INVALID_INPUT',
    path: ['input', 'custom'],
  });
  expect(bench.proxy.requests).toEqual([]);
});

test('payments of one merchant are made at once; none waits for another', async () => {
  let arrived = 0;
  let release = () => {};
  const all = new Promise<void>((resolve) => {
    release = resolve;
  });
  bench.proxy.onWrite = async (...exchange) => {
    if (++arrived === 5) release();
    await all;
    await passOn(...exchange);
  };
  const inputs = Array.from({ length: 5 }, () => shop.wanted());
  const made = await Promise.all(inputs.map((input) => shop.create(input)));
  const replayed = false;
  for (const each of made) expect(each.operation).toMatchObject({ status: 'SUCCEEDED', replayed });
  expect(new Set(made.map(({ transaction }) => transaction.rawId)).size).toBe(5);
  for (const input of inputs) expect(await shop.copies(input)).toHaveLength(1);
});

describe('a payment that is lost on the way', () => {
  const lost: Fault = (_forward, response) => {
    response.destroy();
  };

  test('stays unknown, and is not sent again', async () => {
    const input = shop.wanted();
    bench.proxy.onWrite = lost;
    const first = await shop.create(input);
    bench.proxy.onWrite = undefined;
    const unknown = {
      __typename: 'OutcomeUnknownError',
      code: 'OUTCOME_UNKNOWN',
      operation: { status: 'UNKNOWN', advice: 'RETRY_SAME_KEY' },
    };
    expect(first).toMatchObject(unknown);
    expect(await shop.create(input)).toMatchObject(unknown);
    expect(await shop.create(input)).toMatchObject(unknown);
    expect(await shop.find(input)).toMatchObject(unknown.operation);
    expect(bench.posts()).toBe(1);
    expect(await shop.copies(input)).toEqual([]);
  });

  test('and arrives later after all, is found then', async () => {
    const input = shop.wanted();
    let late: Promise<unknown> | undefined;
    let deliver = () => {};
    const held = new Promise<void>((resolve) => {
      deliver = resolve;
    });
    bench.proxy.onWrite = (forward, response) => {
      response.destroy();
      late = held.then(forward);
    };
    expect((await shop.create(input)).operation).toMatchObject({ status: 'UNKNOWN' });
    deliver();
    await late;
    expect(await shop.find(input)).toMatchObject({ status: 'SUCCEEDED', evidence: 'READ_BACK' });
    const again = await shop.create(input);
    expect(again.operation).toMatchObject({ status: 'SUCCEEDED', replayed: true });
    expect(await shop.copies(input)).toMatchObject([{ id: again.transaction.rawId }]);
    expect(bench.posts()).toBe(1);
  });
});
