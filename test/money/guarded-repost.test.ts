import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fault, passOn } from '../support/fault-proxy.ts';
import { type GuardCase, guardCases } from './models/guard-cases.ts';
import { changeJson, loseRequest } from './support/faults.ts';
import { movementInput, submit } from './support/money-client.ts';
import { type ProxiedGateway, startProxiedGateway } from './support/proxied-gateway.ts';
import { openServiceLedger, type ServiceLedger, toRawId } from './support/service-ledger.ts';

let gateway: ProxiedGateway;
let ledger: ServiceLedger;
beforeAll(async () => {
  gateway = await startProxiedGateway();
  ledger = await openServiceLedger(gateway.direct.sandbox);
});
afterAll(() => gateway?.close());

/** Raw ids of the transactions whose `pendingAmount` does not count voids. */
const inconsistent = new Set<string>();

const showPendingAmounts: Fault = (forward, response, request) => {
  const [, , id = ''] = request.url?.split('/') ?? [];
  const fault = inconsistent.has(id)
    ? changeJson(({ transaction }) => {
        const pendingAmount = transaction.pendingAmount + transaction.voidedAmount;
        return { transaction: { ...transaction, pendingAmount } };
      })
    : passOn;
  return fault(forward, response, request);
};

/** A transaction with the totals of a case. */
async function prepare({ captured, refunded, voided, consistent }: GuardCase): Promise<string> {
  const transactionId = await ledger.createTransaction('capture');
  const totals = [
    ['capture', captured],
    ['void', voided],
    ['refund', refunded],
  ] as const;
  for (const [movement, total] of totals) {
    if (total === 0) continue;
    await submit(gateway.direct.ask, movement, movementInput(transactionId, total));
  }
  if (!consistent) inconsistent.add(toRawId(transactionId));
  return transactionId;
}

function countPosts(transactionId: string): number {
  const path = `/transactions/${toRawId(transactionId)}/`;
  return gateway.proxy.requests.filter((call) => call.startsWith(`POST ${path}`)).length;
}

test('a lost movement is sent again if and only if the guard proves that two copies cannot both apply', async () => {
  const cases = await Promise.all(
    guardCases.map(async (each) => ({
      ...each,
      input: movementInput(await prepare(each), each.amount),
    })),
  );
  const sendAll = () =>
    Promise.all(cases.map(({ movement, input }) => submit(gateway.ask, movement, input)));
  gateway.proxy.onRead = showPendingAmounts;
  gateway.proxy.onWrite = loseRequest;
  for (const result of await sendAll()) {
    expect(result).toMatchObject({ code: 'OUTCOME_UNKNOWN', operation: { status: 'UNKNOWN' } });
  }
  gateway.proxy.onWrite = undefined;
  const repeated = await sendAll();
  const outcomes = cases.map(({ movement, amount, consistent, input }, index) => {
    const { status } = repeated[index].operation;
    return { movement, amount, consistent, status, posts: countPosts(input.transactionId) };
  });
  expect(outcomes).toEqual(
    guardCases.map(({ movement, amount, consistent, safe }) => ({
      movement,
      amount,
      consistent,
      ...(safe ? { status: 'SUCCEEDED', posts: 2 } : { status: 'UNKNOWN', posts: 1 }),
    })),
  );
});
