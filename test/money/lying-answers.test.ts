import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Fault, passOn } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { rest } from '../support/rest.ts';
import { answerWith, loseRequest, replaceAnswer } from './support/faults.ts';
import { type MerchantClient, openMerchantClient } from './support/merchant-client.ts';
import {
  findOperation,
  type MovementInput,
  movementInput,
  sendMutation,
  submit,
} from './support/money-client.ts';
import { storesOfGateways } from './support/open-stores.ts';
import { type ProxiedGateway, startProxiedGateway } from './support/proxied-gateway.ts';
import { openServiceLedger, type ServiceLedger, toRawId } from './support/service-ledger.ts';

// Something between the gateway and the service answers for it: a cache, a firewall, a proxy.

describe.each(storesOfGateways)('with a store in %s', (_name, open) => {
  let gateway: ProxiedGateway;
  let ledger: ServiceLedger;
  let merchant: MerchantClient;
  beforeAll(async () => {
    gateway = await startProxiedGateway({ store: await open(), report: () => {} });
    ledger = await openServiceLedger(gateway.direct.sandbox);
    merchant = await openMerchantClient(gateway, await given(gateway.direct).merchant());
  });
  afterAll(() => gateway?.close());
  beforeEach(() => gateway.reset());

  const newInput = async (minorUnits: number) =>
    movementInput(await ledger.createTransaction('capture'), minorUnits);
  const capture = (input: object) => submit(gateway.ask, 'capture', input);
  /** The result of a capture after which the transaction cannot be read. */
  const captureUnread = async (input: object) =>
    (await sendMutation(gateway.ask, 'capture', input)).data.result;
  const find = ({ idempotencyKey }: MovementInput) =>
    findOperation(gateway.ask, ledger.merchantId, idempotencyKey);
  const entriesOf = ({ transactionId }: MovementInput) => ledger.entries(transactionId);

  const READ_BACK = { status: 'SUCCEEDED', evidence: 'READ_BACK' };
  const NEEDS_OPERATOR = { status: 'UNKNOWN', evidence: null, advice: 'CONTACT_OPERATOR' };

  describe.each([400, 401, 403, 404, 409, 422, 429])(
    'a capture that is applied and answered %i',
    (status) => {
      test('is SUCCEEDED if two could not both apply, and is not sent again', async () => {
        const input = await newInput(1000);
        gateway.proxy.onWrite = replaceAnswer(status, '{"message":"no"}');
        expect((await capture(input)).operation).toMatchObject({ ...READ_BACK, replayed: false });
        gateway.proxy.onWrite = undefined;
        expect((await capture(input)).operation).toMatchObject({ ...READ_BACK, replayed: true });
        expect(gateway.posts()).toBe(1);
        expect(await entriesOf(input)).toEqual([{ kind: 'capture', amount: 1000 }]);
      });

      test('needs the operator if two could both apply, and is not sent again', async () => {
        const input = await newInput(300);
        gateway.proxy.onWrite = replaceAnswer(status, '{"message":"no"}');
        for (let tries = 0; tries < 2; tries++) {
          expect(await capture(input)).toMatchObject({
            __typename: 'OutcomeUnknownError',
            operation: NEEDS_OPERATOR,
          });
        }
        expect(await find(input)).toMatchObject(NEEDS_OPERATOR);
        expect(gateway.posts()).toBe(1);
        expect(await entriesOf(input)).toEqual([{ kind: 'capture', amount: 300 }]);
      });

      test('stays unknown until the transaction can be read', async () => {
        const input = await newInput(1000);
        gateway.proxy.onWrite = async (...exchange) => {
          gateway.proxy.onRead = loseRequest;
          await replaceAnswer(status, '{"message":"no"}')(...exchange);
        };
        expect(await captureUnread(input)).toMatchObject({
          code: 'OUTCOME_UNKNOWN',
          message: expect.stringContaining('could not be confirmed'),
          operation: { status: 'UNKNOWN', advice: 'RETRY_SAME_KEY' },
        });
        gateway.reset();
        expect(await find(input)).toMatchObject(READ_BACK);
        expect(await entriesOf(input)).toHaveLength(1);
      });
    },
  );

  test('a rejection is completed by the next read that shows nothing new', async () => {
    const input = await newInput(300);
    gateway.proxy.onWrite = (...exchange) => {
      gateway.proxy.onRead = loseRequest;
      return answerWith(400, '{"message":"no"}')(...exchange);
    };
    expect((await captureUnread(input)).operation).toMatchObject({ status: 'UNKNOWN' });
    gateway.reset();
    expect(await find(input)).toMatchObject({ status: 'REJECTED', evidence: 'ANSWERED' });
    expect(await capture(input)).toMatchObject({ code: 'UPSTREAM_REJECTED' });
    expect(gateway.posts()).toBe(0);
  });

  describe.each([
    [429, 'NOT_SENT', 'status 429'],
    [401, 'UNAUTHENTICATED', 'status 401'],
    [403, 'FORBIDDEN', 'status 403'],
  ])('a capture that is not applied and answered %i', (status, code, message) => {
    test('frees the transaction, and a repeat of its key sends it', async () => {
      const input = await newInput(300);
      gateway.proxy.onWrite = answerWith(status, '{}');
      for (let tries = 0; tries < 2; tries++) {
        expect(await capture(input)).toMatchObject({
          __typename: 'RequestError',
          code,
          message: expect.stringContaining(message),
        });
      }
      expect(await find(input)).toBeNull();
      gateway.reset();
      const other = movementInput(input.transactionId, 200);
      expect((await capture(other)).operation).toMatchObject({ status: 'SUCCEEDED' });
      expect((await capture(input)).operation).toMatchObject({
        status: 'SUCCEEDED',
        evidence: 'ANSWERED',
        replayed: false,
      });
      expect((await capture(input)).operation).toMatchObject({ replayed: true });
      expect(gateway.posts()).toBe(2);
      expect(await entriesOf(input)).toHaveLength(2);
    });

    test('keeps its arguments, and its first snapshot', async () => {
      const input = await newInput(300);
      gateway.proxy.onWrite = answerWith(status, '{}');
      await capture(input);
      const changed = { ...input, amount: { minorUnits: 301, currency: 'EUR' } };
      expect(await capture(changed)).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
      // What appears in between may be its own effect.
      gateway.reset();
      await captureDirectly(input.transactionId, 300);
      expect((await capture(input)).operation).toMatchObject(NEEDS_OPERATOR);
      expect(gateway.posts()).toBe(0);
    });
  });

  test('a released capture that is not possible any more is not sent', async () => {
    const input = await newInput(300);
    gateway.proxy.onWrite = answerWith(429, '{}');
    await capture(input);
    gateway.reset();
    await captureDirectly(input.transactionId, 900);
    expect(await capture(input)).toMatchObject({
      code: 'AMOUNT_TOO_LARGE',
      maximum: { minorUnits: 100 },
    });
    expect(gateway.posts()).toBe(0);
    expect(await find(input)).toBeNull();
  });

  test('a released capture whose repeat never leaves is released again, with its own reason', async () => {
    const input = await newInput(300);
    gateway.proxy.onWrite = answerWith(403, '{}');
    expect(await capture(input)).toMatchObject({ code: 'FORBIDDEN' });
    gateway.reset();
    let reads = 0;
    gateway.proxy.onRead = async (...exchange) => {
      // The third read is the snapshot; then comes the POST.
      if (++reads === 3) gateway.proxy.refuse();
      await passOn(...exchange);
    };
    const result = await capture(input).finally(gateway.proxy.accept);
    expect(result).toMatchObject({
      code: 'NOT_SENT',
      message: expect.stringContaining('could not be called'),
    });
    expect(reads).toBe(3);
    gateway.reset();
    expect((await capture(input)).operation).toMatchObject({
      status: 'SUCCEEDED',
      replayed: false,
    });
    expect(await entriesOf(input)).toHaveLength(1);
  });

  test('a released capture waits for another open capture of the transaction', async () => {
    const input = await newInput(300);
    gateway.proxy.onWrite = answerWith(429, '{}');
    await capture(input);
    gateway.proxy.onWrite = loseRequest;
    await capture(movementInput(input.transactionId, 300));
    expect(await capture(input)).toMatchObject({ code: 'TRANSACTION_BUSY' });
  });

  test('a complete capture that an intermediary repeats is SUCCEEDED, although its own copy is rejected', async () => {
    const input = await newInput(1000);
    gateway.proxy.onWrite = async (forward, ...exchange) => {
      await forward();
      await passOn(forward, ...exchange);
    };
    for (const replayed of [false, true]) {
      expect((await capture(input)).operation).toMatchObject({ ...READ_BACK, replayed });
    }
    expect(gateway.posts()).toBe(1);
    expect(await entriesOf(input)).toEqual([{ kind: 'capture', amount: 1000 }]);
  });

  const nothingNew: [string, Fault][] = [
    ['an empty 200', answerWith(200, '')],
    ['a 204', (_forward, response) => void response.writeHead(204).end()],
    ['{}', answerWith(201, '{}')],
    ['a message', answerWith(200, '{"message":"received","id":"6a549f0c7469000000a1b2c3"}')],
    ['a 2xx that ends after its headers', cutAfterHeaders],
    ['the transaction as it was', answerAsItWas],
    ['an entry', answerWith(201, '{"capture":true,"amount":300,"created":"2026-01-01"}')],
    ['a location', answerWithLocation],
  ];

  describe.each(nothingNew)(
    'a capture that is not applied and answered with %s',
    (_answer, fault) => {
      test('is not SUCCEEDED', async () => {
        const input = await newInput(300);
        gateway.proxy.onWrite = fault;
        for (let tries = 0; tries < 2; tries++) {
          expect((await capture(input)).operation).toMatchObject({
            status: 'UNKNOWN',
            advice: 'RETRY_SAME_KEY',
          });
        }
        expect(gateway.posts()).toBe(1);
        expect(await entriesOf(input)).toEqual([]);
      });

      test('is sent again for its caller if two cannot both apply', async () => {
        const input = await newInput(1000);
        gateway.proxy.onWrite = fault;
        expect((await capture(input)).operation).toMatchObject({ status: 'UNKNOWN' });
        gateway.proxy.onWrite = undefined;
        expect((await capture(input)).operation).toMatchObject({
          status: 'SUCCEEDED',
          evidence: 'ANSWERED',
          replayed: false,
        });
        expect(await entriesOf(input)).toHaveLength(1);
      });
    },
  );

  test.each<[string, Fault]>([
    ['an empty 200', replaceAnswer(200, '')],
    ['{}', replaceAnswer(201, '{}')],
  ])('a capture that is applied and answered with %s is confirmed by a read', async (_, fault) => {
    const input = await newInput(300);
    gateway.proxy.onWrite = fault;
    expect((await capture(input)).operation).toMatchObject({ ...READ_BACK, replayed: false });
    expect(await entriesOf(input)).toHaveLength(1);
  });

  test('a capture that is answered with the transaction and its new entry is proven', async () => {
    const input = await newInput(300);
    gateway.proxy.onWrite = async (...exchange) => {
      gateway.proxy.onRead = loseRequest;
      await passOn(...exchange);
    };
    const proven = { status: 'SUCCEEDED', evidence: 'ANSWERED' };
    expect((await captureUnread(input)).operation).toMatchObject(proven);
    gateway.reset();
    expect(await entriesOf(input)).toHaveLength(1);
  });

  describe('a transaction that is not created', () => {
    test.each<[string, Fault]>([
      ['the id of an error', answerWith(200, '{"error":{"id":"6a549f0c7469000000a1b2c3"}}')],
      ['an empty 201', answerWith(201, '')],
      ['a message', answerWith(200, '{"message":"received"}')],
      ['an id', answerWith(201, '{"transaction":{"id":"6a549f0c7469000000a1b2c3"}}')],
      ['a location', answerWithLocation],
      [
        'an id together with an error',
        answerWith(201, '{"transaction":{"id":"6a549f0c7469000000a1b2c3","error":{"code":7}}}'),
      ],
    ])('is not reported as created by %s', async (_answer, fault) => {
      const input = merchant.newInput();
      gateway.proxy.onWrite = fault;
      for (let tries = 0; tries < 2; tries++) {
        expect((await merchant.create(input)).operation).toMatchObject({ status: 'UNKNOWN' });
      }
      expect(gateway.posts()).toBe(1);
      expect(await merchant.created(input)).toEqual([]);
    });

    test('is declined by a 201 whose transaction was not successful', async () => {
      const input = merchant.newInput('0120');
      gateway.proxy.onWrite = async (forward, response) => {
        await forward();
        const [{ id }] = await merchant.created(input);
        response.writeHead(201).end(JSON.stringify({ transaction: { id } }));
      };
      for (const replayed of [false, true]) {
        expect(await merchant.create(input)).toMatchObject({
          __typename: 'ProcessingFailedError',
          processingError: { code: '7' },
          operation: { status: 'REJECTED', evidence: 'ANSWERED', replayed },
        });
      }
      expect(gateway.posts()).toBe(1);
    });

    test('is sent again after a 429', async () => {
      const input = merchant.newInput();
      gateway.proxy.onWrite = answerWith(429, '{}');
      expect(await merchant.create(input)).toMatchObject({ code: 'NOT_SENT' });
      expect(await merchant.findOperation(input)).toBeNull();
      gateway.proxy.onWrite = undefined;
      expect((await merchant.create(input)).operation).toMatchObject({ replayed: false });
      expect(await merchant.created(input)).toHaveLength(1);
    });
  });

  test.each([400, 401, 403, 409, 429])(
    'a transaction that is created and answered %i is found, and is not created again',
    async (status) => {
      const input = merchant.newInput();
      gateway.proxy.onWrite = replaceAnswer(status, '{"code":7,"message":"declined"}');
      for (const replayed of [false, true]) {
        expect((await merchant.create(input)).operation).toMatchObject({ ...READ_BACK, replayed });
      }
      expect(gateway.posts()).toBe(1);
      expect(await merchant.created(input)).toHaveLength(1);
    },
  );

  async function captureDirectly(transactionId: string, amount: number): Promise<void> {
    const { paymentsUrl, demoApp } = gateway.direct.sandbox;
    const path = `/transactions/${toRawId(transactionId)}/captures`;
    await rest(paymentsUrl, demoApp.key).post(path, { amount });
  }
});

function cutAfterHeaders(...[, response]: Parameters<Fault>): void {
  response.writeHead(201, { 'content-type': 'application/json', 'content-length': 100 });
  response.flushHeaders();
  response.destroy();
}

async function answerAsItWas(...[, response, request]: Parameters<Fault>): Promise<void> {
  const [, , id] = request.url?.split('/') ?? [];
  const transaction = { id, amount: 1000, pendingAmount: 1000, successful: true, trail: [] };
  response.writeHead(201, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ transaction }));
}

function answerWithLocation(...[, response, request]: Parameters<Fault>): void {
  response.writeHead(202, { location: `${request.url}/1` }).end();
}
