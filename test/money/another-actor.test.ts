import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AnyRecord } from '../sandbox/shop.ts';
import type { Fault } from '../support/fault-proxy.ts';
import { rest } from '../support/rest.ts';
import { answerWith, changeJson, loseRequest } from './support/faults.ts';
import { findOperation, type Movement, movementInput, submit } from './support/money-client.ts';
import { storesOfGateways } from './support/open-stores.ts';
import { type ProxiedGateway, startProxiedGateway } from './support/proxied-gateway.ts';
import { openServiceLedger, type ServiceLedger, toRawId } from './support/service-ledger.ts';

// Somebody else moves the money of the same transaction, for example in the dashboard.

describe.each(storesOfGateways)('with a store in %s', (_name, open) => {
  let gateway: ProxiedGateway;
  let ledger: ServiceLedger;
  beforeAll(async () => {
    gateway = await startProxiedGateway({ store: await open(), report: () => {} });
    ledger = await openServiceLedger(gateway.direct.sandbox);
  });
  afterAll(() => gateway?.close());
  beforeEach(() => gateway.reset());

  const capture = (input: object) => submit(gateway.ask, 'capture', input);
  const find = (idempotencyKey: string) =>
    findOperation(gateway.ask, ledger.merchantId, idempotencyKey);

  async function moveDirectly(movement: Movement, id: string, amount: number): Promise<void> {
    const { paymentsUrl, demoApp } = gateway.direct.sandbox;
    const { status } = await rest(paymentsUrl, demoApp.key).post(
      `/transactions/${toRawId(id)}/${movement}s`,
      { amount },
    );
    expect(status).toBe(201);
  }

  const OUTDATED = {
    code: 'NOT_SENT',
    message: expect.stringContaining('does not show an earlier movement'),
  };

  test('a capture that is lost does not succeed by the entry of an earlier one, while reads lag', async () => {
    const transactionId = await ledger.createTransaction('capture');
    const [a, b] = [movementInput(transactionId, 100), movementInput(transactionId, 100)];
    await moveDirectly('capture', transactionId, 100);
    gateway.proxy.onRead = showTrail(0);
    expect((await capture(a)).operation).toMatchObject({
      status: 'SUCCEEDED',
      evidence: 'ANSWERED',
    });
    // A snapshot that lacks the other client's entry, or that of a, is out of date.
    expect(await capture(b)).toMatchObject(OUTDATED);
    gateway.proxy.onRead = showTrail(1);
    expect(await capture(b)).toMatchObject(OUTDATED);
    expect(gateway.posts()).toBe(1);

    gateway.proxy.onRead = undefined;
    gateway.proxy.onWrite = loseRequest;
    expect((await capture(b)).operation).toMatchObject({ status: 'UNKNOWN' });
    expect((await capture(b)).operation).toMatchObject({ status: 'UNKNOWN' });
    expect(await find(b.idempotencyKey)).toMatchObject({ advice: 'RETRY_SAME_KEY' });
    expect(await ledger.entries(transactionId)).toHaveLength(2);
  });

  test('a released capture that cannot be read as it has to be is released again', async () => {
    const transactionId = await ledger.createTransaction('capture');
    const [released, other] = [
      movementInput(transactionId, 100),
      movementInput(transactionId, 100),
    ];
    gateway.proxy.onWrite = answerWith(429, '{}');
    await capture(released);
    gateway.proxy.onWrite = undefined;
    expect((await capture(other)).operation).toMatchObject({ status: 'SUCCEEDED' });

    gateway.reset();
    const showNothing = showTrail(0);
    gateway.proxy.onRead = showNothing;
    expect(await capture(released)).toMatchObject(OUTDATED);
    let reads = 0;
    gateway.proxy.onRead = (...exchange) =>
      ++reads === 2 ? loseRequest(...exchange) : showNothing(...exchange);
    expect(await capture(released)).toMatchObject({
      code: 'NOT_SENT',
      message: expect.stringContaining('could not be read'),
    });
    expect(gateway.posts()).toBe(0);
    // It does not block another one.
    expect((await capture(movementInput(transactionId, 200))).operation).toMatchObject({
      status: 'SUCCEEDED',
    });

    gateway.proxy.onRead = undefined;
    expect((await capture(released)).operation).toMatchObject({ status: 'SUCCEEDED' });
    expect(await ledger.entries(transactionId)).toHaveLength(3);
  });

  test('a capture whose answer does not show its entry claims it, and the next one is sent when a read shows it', async () => {
    const transactionId = await ledger.createTransaction('capture');
    const [a, b] = [movementInput(transactionId, 100), movementInput(transactionId, 100)];
    gateway.proxy.onWrite = async (forward, response) => {
      await forward();
      response.writeHead(201, { location: '/transactions/some/captures/1' }).end();
    };
    expect((await capture(a)).operation).toMatchObject({ evidence: 'READ_BACK' });
    gateway.proxy.onRead = showTrail(0);
    expect(await capture(b)).toMatchObject(OUTDATED);
    gateway.proxy.onRead = undefined;
    gateway.proxy.onWrite = loseRequest;
    expect((await capture(b)).operation).toMatchObject({ status: 'UNKNOWN' });
    expect((await capture(b)).operation).toMatchObject({ status: 'UNKNOWN' });
  });

  test('a lost capture succeeds by the same movement of a clerk, and then nothing more is captured', async () => {
    const transactionId = await ledger.createTransaction('capture');
    const input = movementInput(transactionId, 300);
    gateway.proxy.onWrite = loseRequest;
    expect((await capture(input)).operation).toMatchObject({ status: 'UNKNOWN' });
    await moveDirectly('capture', transactionId, 300);
    expect((await capture(input)).operation).toMatchObject({
      status: 'SUCCEEDED',
      evidence: 'READ_BACK',
    });
    expect(await ledger.entries(transactionId)).toHaveLength(1);
  });

  test('a lost partial capture ends as NOT_APPLIED when the rest is voided, and blocks no other kind before', async () => {
    const transactionId = await ledger.createTransaction('capture');
    const lost = movementInput(transactionId, 300);
    await moveDirectly('capture', transactionId, 400);
    gateway.proxy.onWrite = loseRequest;
    expect((await capture(lost)).operation).toMatchObject({ status: 'UNKNOWN' });
    gateway.proxy.onWrite = undefined;
    expect(await capture(movementInput(transactionId, 1))).toMatchObject({
      code: 'TRANSACTION_BUSY',
      message: expect.stringMatching(/^Another capture of this transaction has an unknown outcome/),
    });
    for (const [movement, amount] of [
      ['refund', 100],
      ['void', 500],
    ] as const) {
      const { operation } = await submit(
        gateway.ask,
        movement,
        movementInput(transactionId, amount),
      );
      expect(operation).toMatchObject({ status: 'SUCCEEDED' });
    }
    const proven = { status: 'NOT_APPLIED', evidence: 'PROVEN', advice: null };
    expect(await find(lost.idempotencyKey)).toMatchObject(proven);
    expect(await capture(lost)).toMatchObject({
      code: 'OUTCOME_UNKNOWN',
      operation: { ...proven, replayed: true },
    });
    const next = movementInput(transactionId, 100);
    expect((await capture(next)).operation).toMatchObject({ status: 'SUCCEEDED' });
  });

  test('a lost capture is not given up while its amount is still possible, or the counters disagree', async () => {
    const transactionId = await ledger.createTransaction('capture');
    const lost = movementInput(transactionId, 300);
    gateway.proxy.onWrite = loseRequest;
    await capture(lost);
    gateway.proxy.onWrite = undefined;
    await moveDirectly('void', transactionId, 700);
    expect(await find(lost.idempotencyKey)).toMatchObject({ status: 'UNKNOWN' });
    await moveDirectly('void', transactionId, 1);
    gateway.proxy.onRead = changeTransaction((transaction) => ({
      ...transaction,
      voidedAmount: transaction.voidedAmount - 1,
    }));
    expect(await find(lost.idempotencyKey)).toMatchObject({ status: 'UNKNOWN' });
    gateway.proxy.onRead = undefined;
    expect(await find(lost.idempotencyKey)).toMatchObject({ evidence: 'PROVEN' });
  });

  test('a rejected capture needs the operator if somebody else made the same one meanwhile', async () => {
    const transactionId = await ledger.createTransaction('capture');
    const input = movementInput(transactionId, 300);
    gateway.proxy.onWrite = async (...exchange) => {
      await moveDirectly('capture', transactionId, 300);
      await answerWith(409, '{"message":"changed"}')(...exchange);
    };
    expect((await capture(input)).operation).toMatchObject({
      status: 'UNKNOWN',
      advice: 'CONTACT_OPERATOR',
    });
    expect(gateway.posts()).toBe(1);
  });
});

/** Reads of a transaction show only its first entries, and counters that agree with them. */
function showTrail(entries: number): Fault {
  return changeTransaction((transaction) => {
    const trail: AnyRecord[] = transaction.trail.slice(0, entries);
    const captured = trail.reduce((sum, { amount }) => sum + amount, 0);
    const pendingAmount = transaction.amount - captured;
    return { ...transaction, trail, pendingAmount, capturedAmount: captured };
  });
}

/** Changes the transaction in an answer; an answer without one stays as it is. */
function changeTransaction(change: (transaction: AnyRecord) => AnyRecord): Fault {
  return changeJson(({ transaction, ...body }) =>
    transaction === undefined ? body : { ...body, transaction: change(transaction) },
  );
}
