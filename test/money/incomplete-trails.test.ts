import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AnyRecord } from '../sandbox/shop.ts';
import { given } from '../support/given.ts';
import { changeJson, loseAnswer, loseRequest } from './support/faults.ts';
import { movementInput, submit } from './support/money-client.ts';
import { type ProxiedGateway, startProxiedGateway } from './support/proxied-gateway.ts';
import { openServiceLedger } from './support/service-ledger.ts';

let gateway: ProxiedGateway;
const reports: string[] = [];
beforeAll(async () => {
  gateway = await startProxiedGateway({ report: (message) => reports.push(message) });
});
afterAll(() => gateway?.close());
beforeEach(() => {
  gateway.reset();
  reports.length = 0;
});

/** Changes the trail of every transaction that is read. */
const showTrail = (change: (trail: AnyRecord[]) => AnyRecord[]) =>
  changeJson((body) => {
    const { transaction } = body;
    if (transaction === undefined) return body;
    return { transaction: { ...transaction, trail: change(transaction.trail) } };
  });

/** Input of a second capture of 300 of a transaction. */
async function secondCapture() {
  const transactionId = await given(gateway.direct).transaction(1000);
  await submit(gateway.direct.ask, 'capture', movementInput(transactionId, 300));
  return movementInput(transactionId, 300);
}

test('an entry of the snapshot that gets its line later does not count as a new entry', async () => {
  const input = await secondCapture();
  gateway.proxy.onRead = showTrail((trail) => trail.map(({ lineId: _later, ...entry }) => entry));
  gateway.proxy.onWrite = loseRequest;
  const unknown = { operation: { status: 'UNKNOWN' } };
  expect(await submit(gateway.ask, 'capture', input)).toMatchObject(unknown);
  gateway.reset();
  expect(await submit(gateway.ask, 'capture', input)).toMatchObject(unknown);
});

test('a capture is found among incomplete entries of other kinds', async () => {
  const input = await secondCapture();
  gateway.proxy.onRead = showTrail((trail) => [
    ...trail,
    { dispute: {}, created: '2026-01-01' },
    {},
  ]);
  gateway.proxy.onWrite = loseAnswer;
  const { operation } = await submit(gateway.ask, 'capture', input);
  expect(operation).toMatchObject({ evidence: 'READ_BACK' });
  const ledger = await openServiceLedger(gateway.direct.sandbox);
  expect(await ledger.entries(input.transactionId)).toHaveLength(2);
});

test('if a trail lacks an entry that is known to exist, nothing is sent and the operator gets a report', async () => {
  const transactionId = await given(gateway.direct).transaction(1000);
  await submit(gateway.ask, 'capture', movementInput(transactionId, 300));
  gateway.reset();
  gateway.proxy.onRead = showTrail(() => []);
  const second = movementInput(transactionId, 300);
  expect(await submit(gateway.ask, 'capture', second)).toMatchObject({ code: 'NOT_SENT' });
  expect(gateway.posts()).toBe(0);
  expect(reports).toEqual([
    expect.stringMatching(
      /^money operation \S{36} is not sent now: the transaction does not show an entry/,
    ),
  ]);
});
