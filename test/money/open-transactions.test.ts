import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { createSqlStore } from '../../src/gateway/operation/store/sql-store.ts';
import type { Fault } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { patientStore } from '../support/patience.ts';
import { type Bench, startBench } from './bench.ts';
import { creations, IMPATIENT } from './creation.ts';
import { openedStores } from './open-stores.ts';
import { type MoneyMutation, submit } from './submit.ts';

// The embedded database runs one transaction at a time, and the sandbox uses it too: a
// transaction that waits for a service would wait for itself.

const [, open] = openedStores[0] as (typeof openedStores)[0];

/** Counts the transactions that are open at the moment, and all that there were. */
function countTransactions(database: Database) {
  const count = { open: 0, total: 0 };
  const counted: Database = {
    ...database,
    transaction: async (work) => {
      count.open++;
      count.total++;
      try {
        return await database.transaction(work);
      } finally {
        count.open--;
      }
    },
  };
  return { count, counted };
}

let bench: Bench;
let count: { open: number; total: number };
let merchant: { readonly id: string; readonly rawId: string };
/** Open transactions of the store at the arrival of each request. */
const atArrival: number[] = [];

beforeAll(async () => {
  const { database } = await open();
  const counting = countTransactions(database);
  count = counting.count;
  // Maintenance runs beside requests and calls no service.
  const store = {
    ...createSqlStore(counting.counted, patientStore.leaseMs),
    sweep: async () => {},
  };
  bench = await startBench({ ...IMPATIENT, store });
  bench.proxy.onArrival = () => atArrival.push(count.open);
  merchant = await given(bench.stack).merchant();
});
afterAll(() => bench?.close());
beforeEach(() => {
  bench.reset();
  count.total = 0;
  atArrival.length = 0;
});

const lost: Fault = (_forward, response) => {
  response.destroy();
};
const applied: Fault = async (forward, response) => {
  await forward();
  response.destroy();
};

/** Input of a mutation that fits, on a transaction of its own. */
async function prepare(mutation: MoneyMutation): Promise<object> {
  if (mutation === 'create') return (await creations(bench, merchant)).wanted();
  const transactionId = await given(bench.stack).transaction(1000);
  const amount = { minorUnits: 1000, currency: 'EUR' };
  if (mutation === 'refund') {
    const captured = { transactionId, amount, idempotencyKey: newKey() };
    await submit(bench.stack.ask, 'capture', captured);
  }
  return { transactionId, amount, idempotencyKey: newKey() };
}

describe.each<MoneyMutation>(['capture', 'refund', 'void', 'create'])('%s', (mutation) => {
  test.each<[string, Fault | undefined, string]>([
    ['arrives', undefined, 'SUCCEEDED'],
    ['is applied, but not answered', applied, 'SUCCEEDED'],
    ['is lost', lost, mutation === 'create' ? 'UNKNOWN' : 'SUCCEEDED'],
  ])(
    'holds no transaction of the store while a service is called: its POST %s',
    async (_what, fault, status) => {
      const input = await prepare(mutation);
      bench.proxy.onWrite = fault;
      await submit(bench.ask, mutation, input);
      bench.proxy.onWrite = undefined;
      // Found again, or sent again where that is safe.
      const { operation } = await submit(bench.ask, mutation, input);
      expect(operation).toMatchObject({ status });
      expect(bench.posts()).toBeGreaterThan(0);
      expect(count.total).toBeGreaterThan(3);
      expect(new Set(atArrival)).toEqual(new Set([0]));
    },
  );
});
