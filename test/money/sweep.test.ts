import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Change } from '../../src/gateway/operation/machine.ts';
import type { Operation } from '../../src/gateway/operation/operation.ts';
import { newCapture, TRAIL_SNAPSHOT } from './support/new-intent.ts';
import { type OpenedStore, storesWithDatabase } from './support/open-stores.ts';

const RETENTION_DAYS = 35;

describe.each(storesWithDatabase)('a sweep in %s', (_name, open) => {
  let opened: OpenedStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.store.close());

  async function prepared(): Promise<Operation> {
    return (await opened.store.claim(newCapture())).operation;
  }
  async function sending(): Promise<Operation> {
    const operation = await opened.store.startSending(await prepared(), TRAIL_SNAPSHOT);
    if (operation === undefined) throw new Error('The operation was not claimed.');
    return operation;
  }
  async function changed(change: Change): Promise<Operation> {
    const operation = await opened.store.record(await sending(), change);
    if (operation === undefined) throw new Error('The operation does not exist.');
    return operation;
  }
  const set = (column: string, value: string, { id }: Operation) =>
    opened.database.query(`UPDATE money_operation SET ${column} = ${value} WHERE id = $1`, [id]);
  const events = ({ id }: Operation) =>
    opened.database.query('SELECT to_state FROM money_operation_event WHERE operation = $1', [id]);

  /** The row as it is: unlike the store's methods, this does not end its lease. */
  async function stored({ id }: Operation) {
    const sql = 'SELECT state, epoch FROM money_operation WHERE id = $1';
    const [row] = await opened.database.query<{ state: string; epoch: number }>(sql, [id]);
    return row;
  }

  test('ends the leases whose time has passed, and no others', async () => {
    const [expiredClaim, expired] = [await prepared(), await sending()];
    const [currentClaim, current] = [await prepared(), await sending()];
    for (const each of [expiredClaim, expired]) await set('lease_until', 'now()', each);
    await opened.store.sweep(RETENTION_DAYS);
    expect(await stored(expiredClaim)).toBeUndefined();
    expect(await stored(expired)).toEqual({ state: 'UNKNOWN', epoch: expired.epoch + 1 });
    expect(await stored(currentClaim)).toEqual({ state: 'PREPARED', epoch: currentClaim.epoch });
    expect(await stored(current)).toEqual({ state: 'SENDING', epoch: current.epoch });
    expect(await events(expiredClaim)).toContainEqual({ to_state: null });
    expect(await events(expired)).toContainEqual({ to_state: 'UNKNOWN' });
  });

  test.each<Change>([
    { to: 'SUCCEEDED', evidence: 'ANSWERED' },
    { to: 'REJECTED', evidence: 'ANSWERED', rejection: { code: 'CONFLICT', message: 'no' } },
    { to: 'NOT_APPLIED', evidence: 'PRESUMED' },
  ])(
    'deletes an operation that ended as $to before the retention, with its events',
    async (change) => {
      const [old, recent] = [await changed(change), await changed(change)];
      await set('resolved_at', `now() - interval '35 days 1 minute'`, old);
      await set('resolved_at', `now() - interval '34 days 23 hours'`, recent);
      await set('created_at', `now() - interval '400 days'`, recent);
      await opened.store.sweep(RETENTION_DAYS);
      expect(await stored(old)).toBeUndefined();
      expect(await events(old)).toEqual([]);
      expect(await stored(recent)).toMatchObject({ state: change.to });
      expect(await events(recent)).toHaveLength(3);
    },
  );

  test('never deletes an open operation, however old it is', async () => {
    const unknown = await changed({ to: 'UNKNOWN' });
    const open = [unknown, await prepared(), await sending()];
    for (const each of open) await set('created_at', `now() - interval '400 days'`, each);
    await set('sending_at', `now() - interval '400 days'`, unknown);
    await opened.store.sweep(RETENTION_DAYS);
    const states = await Promise.all(open.map(stored));
    expect(states).toMatchObject([
      { state: 'UNKNOWN' },
      { state: 'PREPARED' },
      { state: 'SENDING' },
    ]);
  });

  test('deletes the events of an operation that was never sent, after the retention', async () => {
    const [old, recent] = [await prepared(), await prepared()];
    for (const each of [old, recent]) await opened.store.record(each, { to: 'REMOVED' });
    await opened.database.query(
      `UPDATE money_operation_event SET at = now() - interval '36 days' WHERE operation = $1`,
      [old.id],
    );
    await opened.store.sweep(RETENTION_DAYS);
    expect(await events(old)).toEqual([]);
    expect(await events(recent)).toHaveLength(2);
  });

  test('deletes up to 1,000 operations, and the rest the next time', async () => {
    const count = async () =>
      (await opened.database.query(`SELECT FROM money_operation WHERE merchant_id = 'many'`))
        .length;
    await opened.database.query(
      `INSERT INTO money_operation (id, merchant_id, key, kind, lock_key, transaction_id, amount, currency,
         fingerprint_version, fingerprint, state, posts, snapshot, evidence, sending_at, resolved_at)
       SELECT gen_random_uuid(), 'many', n::text, 'CAPTURE', 'many', 'many', 1, 'EUR', 1, '', 'SUCCEEDED',
         1, '{}', 'ANSWERED', now() - interval '40 days', now() - interval '40 days' FROM generate_series(1, 1200) AS n`,
    );
    await opened.store.sweep(RETENTION_DAYS);
    expect(await count()).toBe(200);
    await opened.store.sweep(RETENTION_DAYS);
    expect(await count()).toBe(0);
  });
});
