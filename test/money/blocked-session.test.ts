import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { given } from '../support/given.ts';
import { preparedPostgres } from '../support/storage.ts';
import { movementInput, submit } from './support/money-client.ts';
import { openPostgres } from './support/open-stores.ts';
import { startProxiedGateway } from './support/proxied-gateway.ts';

test('a database session that keeps an operation locked makes that operation unavailable, and no other', async () => {
  const url = await preparedPostgres();
  const gateway = await startProxiedGateway({ store: await openPostgres(url) });
  onTestFinished(() => gateway.close());
  const blocking = new pg.Client({ connectionString: url });
  await blocking.connect();
  onTestFinished(() => blocking.end());
  const newInput = async () => movementInput(await given(gateway.direct).transaction(1000), 300);
  const capture = (input: object) => submit(gateway.ask, 'capture', input);

  const input = await newInput();
  await capture(input);
  await blocking.query(
    `UPDATE money_operation SET state = 'SENDING', evidence = NULL, resolved_at = NULL,
       entry_line = NULL, entry_properties = NULL,
       lease_until = now() - interval '1 hour' WHERE key = $1`,
    [input.idempotencyKey],
  );
  await blocking.query('BEGIN');
  await blocking.query('SELECT FROM money_operation WHERE key = $1 FOR UPDATE', [
    input.idempotencyKey,
  ]);

  // More requests than the store has connections.
  gateway.clock.startLimits();
  const repeats = await Promise.all(Array.from({ length: 12 }, () => capture(input)));
  for (const repeated of repeats) expect(repeated).toMatchObject({ code: 'STORE_UNAVAILABLE' });
  gateway.clock.reset();
  expect(await capture(await newInput())).toMatchObject({
    __typename: 'CaptureTransactionSuccess',
  });
  await blocking.query('ROLLBACK');
  expect(await capture(input)).toMatchObject({ operation: { status: 'SUCCEEDED' } });
});
