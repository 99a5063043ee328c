import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Change } from '../../src/gateway/money/engine/change.ts';
import type { Operation } from '../../src/gateway/money/engine/operation.ts';
import { newCapture, TRAIL_SNAPSHOT } from './support/new-intent.ts';
import { type OpenedStore, storesWithDatabase } from './support/open-stores.ts';

const RETENTION_DAYS = 35;
const SWEEP_MS = 15_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

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
    const operation = await opened.store.startSending(await prepared(), TRAIL_SNAPSHOT, false);
    if (operation === undefined) throw new Error('The operation was not claimed.');
    return operation;
  }
  async function changed(change: Change): Promise<Operation> {
    const operation = await opened.store.record(await sending(), change);
    if (operation === undefined) throw new Error('The operation does not exist.');
    return operation;
  }
  /** Sweeps, as a process does that has last swept `ownMs` ago. */
  const sweep = (ownMs = 0) => opened.store.sweep({ retentionDays: RETENTION_DAYS, ownMs });
  /** Lets time pass by the clock of the store. */
  const pass = (ms: number) =>
    opened.database.query('UPDATE store_clock SET elapsed = elapsed + $1', [ms]);
  async function elapsed(): Promise<number> {
    const [clock] = await opened.database.query<{ elapsed: number }>(
      'SELECT elapsed FROM store_clock',
    );
    return clock?.elapsed ?? Number.NaN;
  }
  /** Sets the clock of the database forward, as it appears to what was stored before. */
  const setForward = (ms: number) =>
    opened.database.query(
      `UPDATE store_clock SET swept_at = swept_at - $1 * interval '1 millisecond'`,
      [ms],
    );
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
    await sweep();
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
      const old = await changed(change);
      await sweep();
      await pass(MINUTE_MS + 1);
      const recent = await changed(change);
      await set('created_at', `now() - interval '400 days'`, recent);
      await sweep();
      await pass(RETENTION_DAYS * DAY_MS - MINUTE_MS);
      await sweep();
      expect(await stored(old)).toBeUndefined();
      expect(await events(old)).toEqual([]);
      expect(await stored(recent)).toMatchObject({ state: change.to });
      expect(await events(recent)).toHaveLength(3);
    },
  );

  test('deletes a released operation after the retention', async () => {
    const reason = { code: 'NOT_SENT', message: 'not now' } as const;
    const unknown = await changed({ to: 'UNKNOWN', response: { kind: 'RELEASED', reason } });
    const released = await opened.store.record(unknown, { to: 'RELEASED' });
    expect(released).toMatchObject({ state: 'RELEASED', reason });
    await sweep();
    await pass(RETENTION_DAYS * DAY_MS);
    await sweep();
    expect(await stored(unknown)).toMatchObject({ state: 'RELEASED' });
    await pass(1);
    await sweep();
    expect(await stored(unknown)).toBeUndefined();
  });

  test('keeps a success whose entry a released operation of the transaction still has to recognise', async () => {
    const { store } = opened;
    const intent = newCapture();
    const reason = { code: 'NOT_SENT', message: 'not now' } as const;
    const send = async (key: string) => {
      const { operation } = await store.claim({ ...intent, key });
      await store.startSending(operation, TRAIL_SNAPSHOT, false);
      return operation;
    };
    const released = await send('released');
    await store.record(released, { to: 'UNKNOWN', response: { kind: 'RELEASED', reason } });
    await store.record(released, { to: 'RELEASED' });
    const succeeded = await send('succeeded');
    await store.record(succeeded, { to: 'SUCCEEDED', evidence: 'ANSWERED' });
    await sweep();
    await pass(RETENTION_DAYS * DAY_MS);
    // Its key was repeated on the last day.
    const retaken = await store.retake(released);
    if (retaken.kind !== 'TAKEN') throw new Error('The operation was not taken up.');
    await store.record(retaken.operation, { to: 'RELEASED' });
    await pass(1);
    await sweep();
    expect(await stored(succeeded)).toMatchObject({ state: 'SUCCEEDED' });
    await pass(RETENTION_DAYS * DAY_MS + 1);
    for (let sweeps = 0; sweeps < 2; sweeps++) await sweep();
    expect(await stored(released)).toBeUndefined();
    expect(await stored(succeeded)).toBeUndefined();
  });

  test('advances the clock of the store by the time that has passed on both clocks', async () => {
    await sweep();
    const before = await elapsed();
    await setForward(HOUR_MS);
    expect(await sweep(SWEEP_MS)).toMatchObject({ clockJumpMs: expect.closeTo(HOUR_MS, -5) });
    expect(await elapsed()).toBe(before + SWEEP_MS);
    // A process that has just started knows of no time that has passed.
    await setForward(HOUR_MS);
    expect(await sweep(0)).toMatchObject({ clockJumpMs: 0 });
    await setForward(-HOUR_MS);
    expect(await sweep(SWEEP_MS)).toMatchObject({ clockJumpMs: expect.closeTo(-HOUR_MS, -5) });
    expect(await elapsed()).toBe(before + SWEEP_MS);
    // Another gateway has just swept.
    expect(await sweep(10 * SWEEP_MS)).toMatchObject({ clockJumpMs: 0 });
    expect(await elapsed()).toBeLessThan(before + 5 * SWEEP_MS);
  });

  test('keeps an operation that ended seconds ago when the clock is set 36 days ahead', async () => {
    const ended = await changed({ to: 'SUCCEEDED', evidence: 'ANSWERED' });
    await sweep();
    await setForward(36 * DAY_MS);
    await set('resolved_at', `now() - interval '36 days'`, ended);
    await sweep(SWEEP_MS);
    expect(await stored(ended)).toMatchObject({ state: 'SUCCEEDED' });
    expect(await events(ended)).toHaveLength(3);
  });

  test('never deletes an open operation, however old it is', async () => {
    const unknown = await changed({ to: 'UNKNOWN' });
    const open = [unknown, await prepared(), await sending()];
    for (const each of open) await set('created_at', `now() - interval '400 days'`, each);
    await set('sending_at', `now() - interval '400 days'`, unknown);
    await sweep();
    await pass(400 * DAY_MS);
    await sweep();
    const states = await Promise.all(open.map(stored));
    expect(states).toMatchObject([
      { state: 'UNKNOWN' },
      { state: 'PREPARED' },
      { state: 'SENDING' },
    ]);
  });

  test('deletes the events of an operation that was never sent, after the retention', async () => {
    const old = await prepared();
    await opened.store.record(old, { to: 'REMOVED' });
    await pass(RETENTION_DAYS * DAY_MS + 1);
    const recent = await prepared();
    await opened.store.record(recent, { to: 'REMOVED' });
    await sweep();
    expect(await events(old)).toEqual([]);
    expect(await events(recent)).toHaveLength(2);
  });

  test('deletes up to 1,000 operations, and the rest the next time', async () => {
    const count = async () =>
      (await opened.database.query(`SELECT FROM money_operation WHERE merchant_id = 'many'`))
        .length;
    await opened.database.query(
      `INSERT INTO money_operation (id, merchant_id, key, kind, lock_key, transaction_id, amount, currency,
         fingerprint_version, fingerprint, state, posts, snapshot, evidence, sending_at, resolved_at, ended_elapsed)
       SELECT gen_random_uuid(), 'many', n::text, 'CAPTURE', n::text, 'many ' || n, 1, 'EUR', 1, '', 'SUCCEEDED',
         1, '{}', 'ANSWERED', now() - interval '40 days', now() - interval '40 days', -1 - 35 * 86400000::bigint FROM generate_series(1, 1200) AS n`,
    );
    expect(await sweep()).toMatchObject({ isFull: true });
    expect(await count()).toBe(200);
    expect(await sweep()).toMatchObject({ isFull: false });
    expect(await count()).toBe(0);
  });
});
