import { expect, inject, test } from 'vitest';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { preparedStorage } from '../support/storage.ts';
import { ledgerFaults } from './ledger.ts';
import { openShop } from './shop.ts';

const CAPTURES = 50;

test.skipIf(inject('database') === 'PGlite')(
  'of 50 simultaneous captures over two sandboxes on one PostgreSQL, those that fit together succeed (PGlite takes one process at a time)',
  async () => {
    const storage = await preparedStorage();
    const pair = [await startTestSandbox(storage), await startTestSandbox(storage)];
    try {
      const shops = await Promise.all(pair.map((each) => openShop(each)));
      const [first] = shops;
      if (first === undefined) throw new Error('No shop.');
      const { id } = await first.charge(1000);
      const path = `/transactions/${id}/captures`;
      const answers = await Promise.all(
        Array.from({ length: CAPTURES }, (_, index) =>
          shops[index % 2]?.payments.post(path, { amount: 100 }),
        ),
      );
      const statuses = answers.map((answer) => answer?.status);
      expect(statuses.filter((status) => status === 201)).toHaveLength(10);
      // Rejected by the first check, or by the second one under the lock.
      const others = statuses.filter((status) => status !== 201);
      expect(others.filter((status) => status !== 400 && status !== 409)).toEqual([]);

      for (const shop of shops) {
        const { transaction } = (await shop.payments.get(`/transactions/${id}`)).body;
        expect(transaction).toMatchObject({ capturedAmount: 1000, pendingAmount: 0 });
        expect(transaction.trail).toHaveLength(10);
        expect((await ledgerFaults(shop)).faults).toEqual([]);
      }
    } finally {
      await Promise.all(pair.map((each) => each.close()));
    }
  },
);
