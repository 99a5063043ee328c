import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { createSqlStore } from '../../src/gateway/money/store/sql-store.ts';
import type { Fault } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { loseAnswer, loseRequest } from './support/faults.ts';
import { type MerchantClient, openMerchantClient } from './support/merchant-client.ts';
import { type MoneyMutation, movementInput, submit } from './support/money-client.ts';
import { openPgliteWithDatabase } from './support/open-stores.ts';
import { type ProxiedGateway, startProxiedGateway } from './support/proxied-gateway.ts';

// The embedded database runs one transaction at a time, and the sandbox uses it too: a
// transaction that waits for a service would wait for itself.

const LEASE_MS = 30_000;

/** Counts the transactions and single statements that run at the moment, and all that there were. */
function countTransactions(database: Database) {
  const count = { open: 0, total: 0 };
  async function run<T>(work: () => Promise<T>): Promise<T> {
    count.open++;
    count.total++;
    try {
      return await work();
    } finally {
      count.open--;
    }
  }
  const counted: Database = {
    ...database,
    query: (...args) => run(() => database.query(...args)),
    prepared: (...args) => run(() => database.prepared(...args)),
    transaction: (work) => run(() => database.transaction(work)),
  };
  return { count, counted };
}

let gateway: ProxiedGateway;
let merchant: MerchantClient;
let count: { open: number; total: number };
/** How many transactions of the store were open when each request arrived. */
const openAtArrival: number[] = [];

beforeAll(async () => {
  const { database } = await openPgliteWithDatabase();
  const counting = countTransactions(database);
  count = counting.count;
  // Maintenance runs beside requests and calls no service.
  const store = {
    ...createSqlStore(counting.counted, LEASE_MS),
    sweep: async () => ({ clockJumpMs: 0, isFull: false }),
  };
  gateway = await startProxiedGateway({ store });
  merchant = await openMerchantClient(gateway, await given(gateway.direct).merchant());
});
afterAll(() => gateway?.close());
beforeEach(() => {
  gateway.reset();
  gateway.proxy.onArrival = () => openAtArrival.push(count.open);
  count.total = 0;
  openAtArrival.length = 0;
});

/** Input of a mutation that is possible, on a new transaction. */
async function newInput(mutation: MoneyMutation): Promise<object> {
  if (mutation === 'create') return merchant.newInput();
  const transactionId = await given(gateway.direct).transaction(1000);
  if (mutation === 'refund') {
    await submit(gateway.direct.ask, 'capture', movementInput(transactionId, 1000));
  }
  return movementInput(transactionId, 1000);
}

describe.each<MoneyMutation>(['capture', 'refund', 'void', 'create'])('%s', (mutation) => {
  test.each<[string, Fault | undefined, string]>([
    ['arrives', undefined, 'SUCCEEDED'],
    ['is applied but not answered', loseAnswer, 'SUCCEEDED'],
    ['is lost', loseRequest, mutation === 'create' ? 'UNKNOWN' : 'SUCCEEDED'],
  ])(
    'has no transaction of the store open during a call to a service if its POST %s',
    async (_fate, fault, status) => {
      const input = await newInput(mutation);
      gateway.proxy.onWrite = fault;
      await submit(gateway.ask, mutation, input);
      gateway.proxy.onWrite = undefined;
      // Its effect is found, or it is sent again where the guard allows it.
      const { operation } = await submit(gateway.ask, mutation, input);
      expect(operation).toMatchObject({ status });
      expect(gateway.posts()).toBeGreaterThan(0);
      expect(count.total).toBeGreaterThan(2);
      expect(new Set(openAtArrival)).toEqual(new Set([0]));
    },
  );
});
