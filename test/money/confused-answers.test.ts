import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Fault, passOn } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { answerWith, loseRequest, replaceAnswer } from './support/faults.ts';
import { type MerchantClient, openMerchantClient } from './support/merchant-client.ts';
import { findOperation, movementInput, submit } from './support/money-client.ts';
import { type ProxiedGateway, startProxiedGateway } from './support/proxied-gateway.ts';
import { openServiceLedger, type ServiceLedger } from './support/service-ledger.ts';

// Something between the gateway and the service answers a request with the answer to another one.

let gateway: ProxiedGateway;
let ledger: ServiceLedger;
let merchant: MerchantClient;
beforeAll(async () => {
  gateway = await startProxiedGateway();
  ledger = await openServiceLedger(gateway.direct.sandbox);
  merchant = await openMerchantClient(gateway, await given(gateway.direct).merchant());
});
afterAll(() => gateway?.close());
beforeEach(() => gateway.reset());

const capture = (input: object) => submit(gateway.ask, 'capture', input);

/** Reads of one record are answered with another one. */
function confuse(from: string, to: string): Fault {
  return async (forward, response, request) => {
    const [rawFrom = '', rawTo = ''] = [from, to].map((id) => id.slice('txn_'.length));
    request.url = request.url?.replace(rawFrom, rawTo);
    await passOn(forward, response, request);
  };
}

/** A new transaction, and another one with a capture of the same amount. */
async function twoTransactions(amount: number) {
  const id = await ledger.createTransaction('capture');
  const other = await ledger.createTransaction('capture');
  await capture(movementInput(other, amount));
  gateway.reset();
  return { id, other };
}

describe('reads that show another transaction', () => {
  test.each([300, 1000])('do not end a lost capture of %i', async (amount) => {
    const { id, other } = await twoTransactions(amount);
    const input = movementInput(id, amount);
    gateway.proxy.onWrite = (...exchange) => {
      gateway.proxy.onRead = confuse(id, other);
      return loseRequest(...exchange);
    };
    const unknown = { status: 'UNKNOWN', advice: 'RETRY_SAME_KEY' };
    const { data } = await gateway.ask(
      `mutation ($input: CaptureTransactionInput!) { captureTransaction(input: $input) {
        ... on OutcomeUnknownError { operation { status advice } } } }`,
      { input },
    );
    expect(data.captureTransaction.operation).toEqual(unknown);
    expect(await findOperation(gateway.ask, ledger.merchantId, input.idempotencyKey)).toMatchObject(
      unknown,
    );
  });

  test('let no capture begin, and none that was released be sent', async () => {
    const { id, other } = await twoTransactions(300);
    const input = movementInput(id, 300);
    gateway.proxy.onWrite = answerWith(429, '{}');
    expect(await capture(input)).toMatchObject({ code: 'NOT_SENT' });
    gateway.reset();
    gateway.proxy.onRead = confuse(id, other);
    for (const each of [input, movementInput(id, 200)]) {
      expect(await capture(each)).toMatchObject({
        code: 'NOT_SENT',
        message: expect.stringContaining('did not return the transaction'),
      });
    }
    expect(gateway.posts()).toBe(0);
    gateway.reset();
    expect((await capture(input)).operation).toMatchObject({ replayed: false });
    expect(await ledger.entries(id)).toHaveLength(1);
    expect(await ledger.entries(other)).toHaveLength(1);
  });
});

test('a read that shows another merchant creates nothing, and finds no operation', async () => {
  const input = merchant.newInput();
  const other = await given(gateway.direct).merchant('USD');
  gateway.proxy.onRead = confuse(input.merchantId, other.id);
  expect(await merchant.create(input)).toMatchObject({ code: 'NOT_SENT' });
  const { data, errors } = await gateway.ask(
    'query ($id: ID!) { moneyOperation(merchantId: $id, idempotencyKey: "any") { status } }',
    { id: input.merchantId },
  );
  expect(data.moneyOperation).toBeNull();
  expect(errors?.[0]?.extensions).toMatchObject({ code: 'UPSTREAM_BAD_RESPONSE' });
  expect(gateway.posts()).toBe(0);
});

const noLists: [string, Fault][] = [
  ['an error', answerWith(200, '{"errors":[{"message":"slow down"}]}')],
  ['a message and no errors', answerWith(200, '{"message":"slow down","errors":[]}')],
  ['an error next to an empty list', answerWith(200, '{"transactions":[],"errors":["busy"]}')],
  ['an empty list', answerWith(200, '[]')],
  ['an empty list and a message', answerWith(200, '{"data":[],"message":"slow down"}')],
  ['a list of something else', answerWith(200, '["busy"]')],
  ['a list under another name', answerWith(200, '{"warnings":[]}')],
  ['the list of another merchant', answerWith(200, '[{"id":"a1","merchantId":"another"}]')],
];
describe.each(noLists)('a list that is answered with %s', (_answer, fault) => {
  test.each([429, 400])('does not end the search after a %i', async (status) => {
    const input = merchant.newInput();
    gateway.proxy.onWrite = (...exchange) => {
      gateway.proxy.onRead = (forward, response, request) =>
        (request.url?.includes('/transactions?') ? fault : passOn)(forward, response, request);
      return replaceAnswer(status, '{}')(...exchange);
    };
    expect((await merchant.create(input)).operation).toMatchObject({ status: 'UNKNOWN' });
    gateway.reset();
    const found = { status: 'SUCCEEDED', evidence: 'READ_BACK' };
    expect((await merchant.create(input)).operation).toMatchObject(found);
    expect(gateway.posts()).toBe(0);
    expect(await merchant.created(input)).toHaveLength(1);
  });
});

test.each([
  ['with a member for no error', { error: null }],
  ['with a member for no errors', { errors: [] }],
])('lists %s are searched', async (_what, more) => {
  const input = merchant.newInput();
  gateway.proxy.onRead = async (forward, response, request) => {
    const { status, body } = await forward();
    const isList = request.url?.includes('/transactions?') ?? false;
    const list = () => JSON.stringify({ transactions: JSON.parse(String(body)), ...more });
    response.writeHead(status).end(isList ? list() : body);
  };
  gateway.proxy.onWrite = replaceAnswer(400, '{}');
  const found = { status: 'SUCCEEDED', evidence: 'READ_BACK' };
  expect((await merchant.create(input)).operation).toMatchObject(found);
});

describe('a new transaction', () => {
  test('that is answered with an earlier one is found by its tag', async () => {
    const earlier = await merchant.create(merchant.newInput());
    const input = merchant.newInput();
    const answer = JSON.stringify({ transaction: { id: earlier.transaction.rawId } });
    gateway.proxy.onWrite = replaceAnswer(201, answer);
    const { operation, transaction } = await merchant.create(input);
    expect(operation).toMatchObject({ status: 'SUCCEEDED', evidence: 'READ_BACK' });
    expect(await merchant.created(input)).toMatchObject([{ id: transaction.rawId }]);
  });

  test('that was declined, and is answered with an earlier one, has failed', async () => {
    const earlier = await merchant.create(merchant.newInput());
    const input = merchant.newInput('0120');
    const answer = JSON.stringify({ transaction: { id: earlier.transaction.rawId } });
    gateway.proxy.onWrite = replaceAnswer(201, answer);
    expect(await merchant.create(input)).toMatchObject({
      __typename: 'ProcessingFailedError',
      operation: { status: 'REJECTED', evidence: 'READ_BACK' },
    });
  });

  test('has its own outcome if the answers to two are exchanged', async () => {
    const inputs = [merchant.newInput(), merchant.newInput()];
    const waiting: { answer: Promise<string>; send: (body: string) => void }[] = [];
    gateway.proxy.onWrite = (forward, response) => {
      const answer = forward().then(({ body }) => String(body));
      waiting.push({ answer, send: (body) => response.writeHead(201).end(body) });
      const [one, other] = waiting;
      if (one === undefined || other === undefined) return;
      void one.answer.then(other.send);
      void other.answer.then(one.send);
    };
    const results = await Promise.all(inputs.map((input) => merchant.create(input)));
    for (const [index, { operation, transaction }] of results.entries()) {
      expect(operation).toMatchObject({ status: 'SUCCEEDED', evidence: 'READ_BACK' });
      const created = await merchant.created(inputs[index] ?? merchant.newInput());
      expect(created).toMatchObject([{ id: transaction.rawId }]);
    }
  });
});
