import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fault, passOn } from '../support/fault-proxy.ts';
import { newKey } from '../support/new-key.ts';
import { type Bench, startBench } from './bench.ts';
import { openBooks } from './books.ts';
import { IMPATIENT } from './creation.ts';
import { type GuardCase, guardCases } from './guard-cases.ts';
import type { Movement } from './movement.ts';
import { submit } from './submit.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await startBench(IMPATIENT);
});
afterAll(() => bench?.close());

const kinds: readonly Movement[] = ['capture', 'void', 'refund'];

/** Transactions whose `pendingAmount` does not count voids. */
const careless = new Set<string>();

const showPending: Fault = async (forward, response, request) => {
  const id = request.url?.split('/')[2] as string;
  if (!careless.has(id)) return passOn(forward, response, request);
  const { status, type, body } = await forward();
  const { transaction } = JSON.parse(String(body));
  transaction.pendingAmount += transaction.voidedAmount;
  response.writeHead(status, { 'content-type': type }).end(JSON.stringify({ transaction }));
};

/** A transaction to which this has happened, past the gateway. */
async function prepare(before: GuardCase): Promise<string> {
  const books = await openBooks(bench.stack.sandbox);
  const transactionId = await books.charge('capture');
  const amounts = { capture: before.captured, refund: before.refunded, void: before.voided };
  for (const kind of kinds) {
    const amount = { minorUnits: amounts[kind], currency: 'EUR' };
    const input = { transactionId, amount, idempotencyKey: newKey() };
    if (amounts[kind] > 0) await submit(bench.stack.ask, kind, input);
  }
  if (!before.consistent) careless.add(transactionId.replace('txn_', ''));
  return transactionId;
}

const postsTo = (transactionId: string) =>
  bench.proxy.requests.filter(
    (call) => call.startsWith('POST') && call.includes(transactionId.replace('txn_', '')),
  ).length;

test('a lost movement is sent again where two cannot both apply, and nowhere else', async () => {
  const cases = await Promise.all(
    guardCases.map(async (each) => {
      const amount = { minorUnits: each.amount, currency: 'EUR' };
      const input = { transactionId: await prepare(each), amount, idempotencyKey: newKey() };
      return { ...each, input };
    }),
  );
  bench.proxy.onRead = showPending;
  bench.proxy.onWrite = (_forward, response) => {
    response.destroy();
  };
  const send = () =>
    Promise.all(cases.map(({ movement, input }) => submit(bench.ask, movement, input)));
  for (const lost of await send()) {
    expect(lost).toMatchObject({ code: 'OUTCOME_UNKNOWN', operation: { status: 'UNKNOWN' } });
  }
  bench.proxy.onWrite = undefined;
  const repeated = await send();
  const told = cases.map(({ movement, amount, consistent, input }, index) => {
    const { status } = repeated[index].operation;
    return { movement, amount, consistent, status, posts: postsTo(input.transactionId) };
  });
  expect(told).toEqual(
    guardCases.map(({ movement, amount, consistent, safe }) => ({
      movement,
      amount,
      consistent,
      ...(safe ? { status: 'SUCCEEDED', posts: 2 } : { status: 'UNKNOWN', posts: 1 }),
    })),
  );
});
