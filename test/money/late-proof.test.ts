import { expect, onTestFinished, test } from 'vitest';
import { passOn } from '../support/fault-proxy.ts';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { startBench } from './bench.ts';
import { movements } from './movement.ts';
import { openedStores } from './open-stores.ts';

test.each(openedStores)(
  'in %s: who learns that it was done after it was decided otherwise says so',
  async (_where, open) => {
    const { store, database } = await open();
    const reports: string[] = [];
    const bench = await startBench({ store, report: (message) => reports.push(message) });
    onTestFinished(() => bench.close());
    const id = await given(bench.stack).transaction(1000);
    const key = newKey();
    const capture = () => movements(bench.ask).move('capture', id, 300, key);

    bench.proxy.onWrite = async (...exchange) => {
      // The lease ran out, and a person decided too early.
      const [{ operation } = { operation: '' }] = await database.query<{ operation: string }>(
        `UPDATE money_operation SET state = 'UNKNOWN', epoch = epoch + 1, lease_until = NULL
         RETURNING id AS operation`,
      );
      await store.settle(operation, { applied: false, note: 'hasty', by: 'anna' });
      await passOn(...exchange);
    };
    const told = await capture();
    expect(told).toMatchObject({ ended: 'Success', operation: { status: 'SUCCEEDED' } });
    expect(reports).toEqual([
      expect.stringMatching(/^money operation \S{36} was applied, but is recorded as NOT_APPLIED$/),
    ]);
  },
);
