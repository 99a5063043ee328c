import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Fault, passOn } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { answerWith, loseAnswer, loseRequest, replaceAnswer, signal } from './support/faults.ts';
import { type MerchantClient, openMerchantClient } from './support/merchant-client.ts';
import { type ProxiedGateway, startProxiedGateway } from './support/proxied-gateway.ts';

let gateway: ProxiedGateway;
let merchant: MerchantClient;
beforeAll(async () => {
  gateway = await startProxiedGateway();
  merchant = await openMerchantClient(gateway, await given(gateway.direct).merchant());
});
afterAll(() => gateway?.close());
beforeEach(() => gateway.reset());

/** The service performs the request; its answer does not arrive within the time limit. */
const timeOut: Fault = async (forward) => {
  await forward();
  gateway.timeOutWrites();
};

test.each([
  ['is lost', loseAnswer],
  ['contains no transaction', replaceAnswer(201, '{"ok":true}')],
  ['is empty', replaceAnswer(204, '')],
  ['is a 502', replaceAnswer(502, '{}')],
  ['is too late', timeOut],
] satisfies [string, Fault][])(
  'a transaction whose answer %s is found by its tag, and created once',
  async (_answer, fault) => {
    const input = merchant.newInput();
    let keySent: unknown;
    gateway.proxy.onWrite = (forward, response, request) => {
      keySent = request.headers['idempotency-key'];
      return fault(forward, response, request);
    };
    const first = await merchant.create(input);
    gateway.proxy.onWrite = undefined;
    const operation = { kind: 'CREATE', status: 'SUCCEEDED', evidence: 'READ_BACK', advice: null };
    expect(first).toMatchObject({
      __typename: 'CreateTransactionSuccess',
      operation: { ...operation, replayed: false },
      transaction: { custom: { ...input.custom, tillgraph: { operation: keySent } } },
    });
    expect(keySent).not.toBe(input.idempotencyKey);
    const repeated = await merchant.create(input);
    expect(repeated).toEqual({ ...first, operation: { ...first.operation, replayed: true } });
    expect(await merchant.created(input)).toMatchObject([{ id: first.transaction.rawId }]);
    expect(gateway.posts()).toBe(1);
    const { data } = await gateway.ask(
      `query ($merchant: ID!, $key: String!) {
        moneyOperation(merchantId: $merchant, idempotencyKey: $key) { transaction { rawId } }
      }`,
      { merchant: input.merchantId, key: input.idempotencyKey },
    );
    expect(data.moneyOperation.transaction).toEqual({ rawId: first.transaction.rawId });
  },
);

test.each([
  ['is received', passOn, 'ANSWERED'],
  ['is lost', loseAnswer, 'READ_BACK'],
] satisfies [string, Fault, string][])(
  'a decline that %s stays the outcome of its key',
  async (_answer, fault, evidence) => {
    const input = merchant.newInput('0120');
    gateway.proxy.onWrite = fault;
    const first = await merchant.create(input);
    gateway.proxy.onWrite = undefined;
    const [declined, ...more] = await merchant.created(input);
    expect(more).toEqual([]);
    expect(first).toMatchObject({
      __typename: 'ProcessingFailedError',
      code: 'PROCESSING_FAILED',
      processingError: { code: '7', message: 'Insufficient funds' },
      transaction: { rawId: declined.id, successful: false },
      operation: { status: 'REJECTED', evidence, advice: null, replayed: false },
    });
    const repeated = await merchant.create(input);
    expect(repeated).toEqual({ ...first, operation: { ...first.operation, replayed: true } });
    expect(await merchant.findOperation(input)).toMatchObject({ status: 'REJECTED', evidence });
    expect(gateway.posts()).toBe(1);
  },
);

test('a decline is stored without the payment that the service repeats in it', async () => {
  const input = merchant.newInput();
  const payment = { transaction: { card: { bin: '410000', last4: '0120' }, custom: { a: 1 } } };
  const decline = { code: 7, message: 'Insufficient funds', client: true, response: payment };
  gateway.proxy.onWrite = answerWith(400, JSON.stringify(decline));
  for (let tries = 0; tries < 2; tries++) {
    const { processingError } = await merchant.create(input);
    expect(processingError.raw).toEqual({ code: 7, message: 'Insufficient funds', client: true });
  }
});

test('a decline with characters that PostgreSQL cannot store is recorded without them', async () => {
  const input = merchant.newInput();
  const decline = '{"code":"7","message":"no\\u0000","odd\\u0000":"\\udfff"}';
  gateway.proxy.onWrite = answerWith(400, decline);
  for (let tries = 0; tries < 2; tries++) {
    expect(await merchant.create(input)).toMatchObject({ code: 'PROCESSING_FAILED' });
  }
  expect(await merchant.findOperation(input)).toMatchObject({
    status: 'REJECTED',
    evidence: 'ANSWERED',
  });
  expect(gateway.posts()).toBe(1);
});

test.each([
  ['another amount', { amount: { minorUnits: 2000, currency: 'EUR' } }],
  ['another currency', { amount: { minorUnits: 1990, currency: 'USD' } }],
  ['another source', { source: { transactionId: 'txn_another' } }],
  ['another kind of source', { source: { cardId: 'crd_another' } }],
  ['another `custom`', { custom: { reference: 'another' } }],
  ['no `custom`', { custom: null }],
  ['another descriptor', { statementDescriptor: 'ANOTHER SHOP' }],
])('a known key with %s is rejected, and nothing is sent', async (_difference, change) => {
  const input = merchant.newInput();
  await merchant.create(input);
  gateway.reset();
  expect(await merchant.create({ ...input, ...change })).toMatchObject({
    code: 'IDEMPOTENCY_KEY_REUSED',
    path: ['input', 'idempotencyKey'],
  });
  expect(gateway.posts()).toBe(0);
});

test('a repeat may have the fields of `custom` in another order, but not the items of its lists', async () => {
  const custom = { reference: 'b', nested: { x: 1, y: [2, { z: 3, a: 4 }] } };
  const input = { ...merchant.newInput(), custom };
  await merchant.create(input);
  const sameFields = { nested: { y: [2, { a: 4, z: 3 }], x: 1 }, reference: 'b' };
  const same = await merchant.create({ ...input, custom: sameFields });
  expect(same.operation.replayed).toBe(true);
  const otherList = { ...custom, nested: { x: 1, y: [{ z: 3, a: 4 }, 2] } };
  const other = await merchant.create({ ...input, custom: otherList });
  expect(other.code).toBe('IDEMPOTENCY_KEY_REUSED');
  expect(gateway.posts()).toBe(1);
});

test.each([
  ['with the reserved field', { tillgraph: { operation: 'mine' } }],
  ['with the reserved field set to null', { order: 7, tillgraph: null }],
  ['with a number that could not be read again', { order: [1e21] }],
  ['that is a list', [{ order: 7 }]],
  ['that is a string', 'order 7'],
  ['that is a number', 7],
])('`custom` %s is rejected before any call to the service', async (_kind, custom) => {
  const input = { ...merchant.newInput(), custom };
  expect(await merchant.create(input)).toMatchObject({
    code: 'INVALID_INPUT',
    path: ['input', 'custom'],
  });
  expect(gateway.proxy.requests).toEqual([]);
});

test('transactions of one merchant are created concurrently', async () => {
  let arrived = 0;
  const all = signal();
  gateway.proxy.onWrite = async (...exchange) => {
    if (++arrived === 5) all.send();
    await all.sent;
    await passOn(...exchange);
  };
  const inputs = Array.from({ length: 5 }, () => merchant.newInput());
  const results = await Promise.all(inputs.map((input) => merchant.create(input)));
  const sent = { status: 'SUCCEEDED', replayed: false };
  for (const { operation } of results) expect(operation).toMatchObject(sent);
  expect(new Set(results.map(({ transaction }) => transaction.rawId)).size).toBe(5);
  for (const input of inputs) expect(await merchant.created(input)).toHaveLength(1);
});

describe('a lost request to create a transaction', () => {
  test('stays unknown and is not sent again', async () => {
    const input = merchant.newInput();
    gateway.proxy.onWrite = loseRequest;
    const first = await merchant.create(input);
    gateway.proxy.onWrite = undefined;
    const unknown = {
      __typename: 'OutcomeUnknownError',
      code: 'OUTCOME_UNKNOWN',
      operation: { status: 'UNKNOWN', advice: 'RETRY_SAME_KEY' },
    };
    expect(first).toMatchObject(unknown);
    expect(await merchant.create(input)).toMatchObject(unknown);
    expect(await merchant.create(input)).toMatchObject(unknown);
    expect(await merchant.findOperation(input)).toMatchObject(unknown.operation);
    expect(gateway.posts()).toBe(1);
    expect(await merchant.created(input)).toEqual([]);
  });

  test('that reaches the service later is found then', async () => {
    const input = merchant.newInput();
    const delivery = signal();
    let delivered: Promise<unknown> | undefined;
    gateway.proxy.onWrite = (forward, response) => {
      response.destroy();
      delivered = delivery.sent.then(forward);
    };
    expect((await merchant.create(input)).operation).toMatchObject({ status: 'UNKNOWN' });
    delivery.send();
    await delivered;
    const found = { status: 'SUCCEEDED', evidence: 'READ_BACK' };
    expect(await merchant.findOperation(input)).toMatchObject(found);
    const repeated = await merchant.create(input);
    expect(repeated.operation).toMatchObject({ status: 'SUCCEEDED', replayed: true });
    expect(await merchant.created(input)).toMatchObject([{ id: repeated.transaction.rawId }]);
    expect(gateway.posts()).toBe(1);
  });
});
