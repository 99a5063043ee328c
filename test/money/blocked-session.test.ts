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

test('the server ends every statement of a capture that takes too long', async () => {
  const url = await preparedPostgres();
  const gateway = await startProxiedGateway({ store: await openPostgres(url) });
  onTestFinished(() => gateway.close());
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  onTestFinished(() => admin.end());
  const input = movementInput(await given(gateway.direct).transaction(1000), 300);
  const hangAt = async (change: string) => {
    // Nothing is locked, so no limit of a wait for locks ends it.
    await admin.query(`CREATE OR REPLACE FUNCTION hang() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN PERFORM pg_sleep(86400); RETURN NEW; END'`);
    await admin.query(`CREATE OR REPLACE TRIGGER hang BEFORE ${change} ON money_operation
      FOR EACH ROW EXECUTE FUNCTION hang()`);
  };
  const hanging = async () => {
    const { rows } = await admin.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`,
    );
    return rows.length;
  };
  gateway.clock.startLimits();
  for (const change of ['INSERT', 'UPDATE']) {
    await hangAt(change);
    expect(await submit(gateway.ask, 'capture', input)).toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    while ((await hanging()) > 0);
  }
  await admin.query('DROP TRIGGER hang ON money_operation');
  gateway.clock.reset();
  expect(await submit(gateway.ask, 'capture', input)).toMatchObject({
    operation: { status: 'SUCCEEDED' },
  });
});
