import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { type RestAnswer, rest } from '../support/rest.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { emptyStorage } from '../support/storage.ts';
import { ledgerFaults } from './ledger.ts';
import { type AnyRecord, demoApp, openShop, type Shop } from './shop.ts';

const embedded = inject('database') === 'PGlite';
/** PGlite runs one statement at a time, so few requests can overlap. */
const ROUNDS = embedded ? 4 : 20;

let sandbox: Sandbox;
let shop: Shop;

beforeAll(async () => {
  sandbox = await startTestSandbox();
  shop = await openShop(sandbox);
});
afterAll(() => sandbox.close());

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function move(movement: string, { id }: AnyRecord, amount = 100, { payments } = shop) {
  return payments.post(`/transactions/${id}/${movement}`, { amount });
}

/** Expects `count` successes, and 400 or 409 for all other requests. */
function expectSuccesses(responses: readonly RestAnswer[], count: number): void {
  const statuses = responses.map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(count);
  const others = statuses.filter((status) => status !== 201);
  expect(others.filter((status) => status !== 400 && status !== 409)).toEqual([]);
}

async function expectCounters({ id }: AnyRecord, expected: object): Promise<void> {
  const { transaction } = (await shop.payments.get(`/transactions/${id}`)).body;
  expect(transaction).toMatchObject(expected);
  expect((await ledgerFaults(shop)).faults).toEqual([]);
}

test('of 50 simultaneous captures, exactly as many succeed as fit the amount', async () => {
  const transaction = await shop.charge(1000);
  expectSuccesses(await Promise.all(times(50, () => move('captures', transaction))), 10);
  await expectCounters(transaction, { capturedAmount: 1000, pendingAmount: 0 });
});

test('simultaneous captures and voids share the pending amount', async () => {
  const transaction = await shop.charge(1000);
  const movements = times(40, (index) => (index % 2 ? 'captures' : 'voids'));
  expectSuccesses(await Promise.all(movements.map((each) => move(each, transaction))), 10);
  await expectCounters(transaction, { pendingAmount: 0 });
});

test('simultaneous refunds of the complete amount cost exactly the flat fee', async () => {
  const transaction = await shop.charge(1000);
  const balance = async () =>
    (await shop.payments.get(`/merchants/${shop.id}`)).body.merchant.balance;
  const before = await balance();
  await move('captures', transaction, 1000);
  expectSuccesses(await Promise.all(times(30, () => move('refunds', transaction))), 10);
  expect(await balance()).toBe(before - 25);
  await expectCounters(transaction, { refundedAmount: 1000 });
});

test('simultaneous captures of different transactions all change the balance', async () => {
  const transactions = await Promise.all(times(20, () => shop.charge(1000)));
  const before = (await ledgerFaults(shop)).balance;
  expectSuccesses(
    await Promise.all(transactions.map((each) => move('captures', each, 1000))),
    transactions.length,
  );
  const { faults, balance } = await ledgerFaults(shop);
  expect(faults).toEqual([]);
  expect(balance).toBe(before + 20 * 950);
});

test.each(['transactions', 'lines'])(
  'a caller who polls the list of %s with `after` sees every new record',
  async (list) => {
    const path = `/merchants/${shop.id}/${list}`;
    const { id: transactionId } = await shop.charge(1000);
    const input = { transactionId, currency: 'EUR', amount: 1 };
    const made: string[] = [];
    /** Sends one request after another, so that the polling caller is served in between. */
    async function make(): Promise<void> {
      for (let count = 0; count < ROUNDS; count++) {
        const charged = await shop.payments.post(`/merchants/${shop.id}/transactions`, input);
        const { id } = charged.body.transaction;
        const captured = list === 'lines' && (await move('captures', { id }, 1)).body.transaction;
        made.push(captured ? captured.trail[0].lineId : id);
      }
    }
    let last = (await shop.payments.get(`${path}?limit=1`)).body[0].id;
    const seen: string[] = [];
    async function poll(): Promise<void> {
      const { body } = await shop.payments.get(`${path}?limit=1000&after=${last}`);
      seen.push(...body.map(({ id }: AnyRecord) => id));
      last = seen.at(-1) ?? last;
    }
    let making = true;
    const makers = Promise.all(times(8, make)).finally(() => {
      making = false;
    });
    while (making) await poll();
    await makers;
    await poll();
    expect(seen).toEqual(made.sort());
  },
);

test.skipIf(embedded)(
  'two sandboxes on one PostgreSQL serve the same records (PGlite serves one process only)',
  async () => {
    const storage = await emptyStorage();
    // Both find the database empty. Only one of them may insert the demo data.
    const pair = await Promise.all([startTestSandbox(storage), startTestSandbox(storage)]);
    try {
      const [one, two] = pair;
      expect(two.demoApp).toEqual(one.demoApp);
      expect((await rest(one.usersUrl).get('/users')).body).toHaveLength(25);
      const [first, second] = await Promise.all([openShop(one), openShop(two)]);
      const shops = [first, second];
      const transaction = await first.charge(1000);
      const captures = times(50, (index) => move('captures', transaction, 100, shops[index % 2]));
      expectSuccesses(await Promise.all(captures), 10);

      const charges = await Promise.all(times(30, (index) => shops[index % 2]?.charge(1)));
      expect(new Set(charges.map((each) => each.id)).size).toBe(30);
      expect((await ledgerFaults(second)).faults).toEqual([]);
      const path = `/merchants/${first.id}/transactions?limit=1000`;
      expect((await demoApp(two).get(path)).text).toBe((await demoApp(one).get(path)).text);
    } finally {
      await Promise.all(pair.map((each) => each.close()));
    }
  },
);
