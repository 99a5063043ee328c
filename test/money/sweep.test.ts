import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Change } from '../../src/gateway/operation/machine.ts';
import type { Operation } from '../../src/gateway/operation/operation.ts';
import { type OpenedStore, openedStores } from './open-stores.ts';

const BEFORE = { amount: 100, pendingAmount: 100, trail: [] };
const RETENTION_DAYS = 35;

let lanes = 0;

describe.each(openedStores)('a sweep in %s', (_where, open) => {
  let opened: OpenedStore;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.store.close());

  async function prepared(): Promise<Operation> {
    const lockKey = `t${++lanes}`;
    const { operation } = await opened.store.claim({
      merchantId: 'm',
      key: `key of ${lockKey}`,
      kind: 'CAPTURE',
      lockKey,
      transactionId: lockKey,
      amount: 40,
      currency: 'EUR',
      fingerprint: 'ab'.repeat(32),
    });
    return operation;
  }

  const sending = async () =>
    (await opened.store.startSending(await prepared(), BEFORE)) as Operation;

  const ended = async (change: Change) =>
    (await opened.store.record(await sending(), change)) as Operation;

  const set = (column: string, value: string, { id }: Operation) =>
    opened.database.query(`UPDATE money_operation SET ${column} = ${value} WHERE id = $1`, [id]);

  const events = async ({ id }: Operation) =>
    opened.database.query('SELECT to_state FROM money_operation_event WHERE operation = $1', [id]);

  /** Looked at without ending any lease, as finding would. */
  async function stored({ id }: Operation) {
    const sql = 'SELECT state, epoch FROM money_operation WHERE id = $1';
    return (await opened.database.query<{ state: string; epoch: number }>(sql, [id]))[0];
  }

  test('ends the leases that ran out, and no others', async () => {
    const [claimed, sent] = [await prepared(), await sending()];
    const [living, busy] = [await prepared(), await sending()];
    for (const each of [claimed, sent]) await set('lease_until', 'now()', each);
    await opened.store.sweep(RETENTION_DAYS);
    expect(await stored(claimed)).toBeUndefined();
    expect(await stored(sent)).toEqual({ state: 'UNKNOWN', epoch: sent.epoch + 1 });
    expect(await stored(living)).toEqual({ state: 'PREPARED', epoch: living.epoch });
    expect(await stored(busy)).toEqual({ state: 'SENDING', epoch: busy.epoch });
    expect(await events(claimed)).toContainEqual({ to_state: null });
    expect(await events(sent)).toContainEqual({ to_state: 'UNKNOWN' });
  });

  test.each<Change>([
    { to: 'SUCCEEDED', evidence: 'ANSWERED' },
    { to: 'REJECTED', evidence: 'ANSWERED', rejection: { code: 'CONFLICT', message: 'no' } },
    { to: 'NOT_APPLIED', evidence: 'PRESUMED' },
  ])('forgets what ended with $to before retention, with its history', async (change) => {
    const [old, young] = [await ended(change), await ended(change)];
    await set('resolved_at', `now() - interval '35 days 1 minute'`, old);
    await set('resolved_at', `now() - interval '34 days 23 hours'`, young);
    await set('created_at', `now() - interval '400 days'`, young);
    await opened.store.sweep(RETENTION_DAYS);
    expect(await stored(old)).toBeUndefined();
    expect(await events(old)).toEqual([]);
    expect(await stored(young)).toMatchObject({ state: change.to });
    expect(await events(young)).toHaveLength(3);
  });

  test('never forgets what is open, however old it is', async () => {
    const unknown = await ended({ to: 'UNKNOWN' });
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

  test('forgets the history of what was never sent, in time', async () => {
    const [old, young] = [await prepared(), await prepared()];
    for (const each of [old, young]) await opened.store.record(each, { to: 'REMOVED' });
    await opened.database.query(
      `UPDATE money_operation_event SET at = now() - interval '36 days' WHERE operation = $1`,
      [old.id],
    );
    await opened.store.sweep(RETENTION_DAYS);
    expect(await events(old)).toEqual([]);
    expect(await events(young)).toHaveLength(2);
  });

  test('forgets a thousand at a time, and the rest the next time', async () => {
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
