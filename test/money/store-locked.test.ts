import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { machineClock } from '../../src/gateway/operation/clock.ts';
import { openStore } from '../../src/gateway/operation/store/open-store.ts';
import { given } from '../support/given.ts';
import { newKey } from '../support/new-key.ts';
import { patientStore } from '../support/patience.ts';
import { preparedPostgres } from '../support/storage.ts';
import { startBench } from './bench.ts';
import { movements } from './movement.ts';

test('a session that stands still with an operation in its hands holds up no other', async () => {
  const url = await preparedPostgres();
  const bench = await startBench({
    clock: machineClock,
    store: await openStore({ databaseUrl: url, leaseMs: patientStore.leaseMs }),
  });
  onTestFinished(() => bench.close());
  const frozen = new pg.Client({ connectionString: url });
  await frozen.connect();
  onTestFinished(() => frozen.end());
  const { move } = movements(bench.ask);
  const capture = async (key: string) =>
    move('capture', await given(bench.stack).transaction(1000), 300, key);

  const id = await given(bench.stack).transaction(1000);
  const key = newKey();
  await move('capture', id, 300, key);
  await frozen.query(
    `UPDATE money_operation SET state = 'SENDING', evidence = NULL, resolved_at = NULL,
       lease_until = now() - interval '1 hour' WHERE key = $1`,
    [key],
  );
  await frozen.query('BEGIN');
  await frozen.query('SELECT FROM money_operation WHERE key = $1 FOR UPDATE', [key]);

  const repeats = await Promise.all(
    Array.from({ length: 12 }, () => move('capture', id, 300, key)),
  );
  for (const repeat of repeats) expect(repeat).toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(await capture(newKey())).toMatchObject({ ended: 'Success' });
  await frozen.query('ROLLBACK');
  expect(await move('capture', id, 300, key)).toMatchObject({ operation: { status: 'SUCCEEDED' } });
});
