import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EUR_MERCHANT, type Subject, ways } from './subject.ts';

type Row = Record<string, unknown>;
interface File {
  records: Record<string, Row[]>;
  clock: Row;
  [name: string]: unknown;
}

describe.each(ways)('the file of a snapshot %s', (_way, start) => {
  let subject: Subject;
  let file: string;
  beforeAll(async () => {
    subject = await start();
    await subject.control.snapshots.take('good');
    file = await subject.control.snapshots.export('good');
    await subject.control.snapshots.remove('good');
  });
  afterAll(() => subject.close());

  const changed = (change: (parsed: File) => void) => {
    const parsed: File = JSON.parse(file);
    change(parsed);
    return JSON.stringify(parsed);
  };
  const first = (table: string, values: Row) =>
    changed(({ records }) => Object.assign(records[table]?.[0] ?? {}, values));
  const pay = () => subject.control.pay({ merchantId: EUR_MERCHANT, amount: 500 });

  test('has no key of the demo app, and an import keeps the key of this sandbox', async () => {
    expect(file).not.toContain(subject.app.key);
    await subject.control.snapshots.import('back', file);
    await subject.control.reset({ to: { snapshot: 'back' } });
    expect((await subject.payments.get('/me')).body.identity.id).toBe(subject.app.id);
    await subject.control.faults.add({ kind: 'stale', agoMs: 60_000, next: 1 });
    expect((await subject.payments.get('/me')).status).toBe(200);
    await subject.control.snapshots.remove('back');
    await subject.control.reset();
  });

  test('that was imported does not change what is numbered, only a reset to it does', async () => {
    await subject.control.reset({ to: 'empty' });
    await subject.control.snapshots.take('empty');
    const empty = await subject.control.snapshots.export('empty');
    await subject.control.reset();
    const before = await pay();
    await subject.control.snapshots.import('empty', empty);
    const ada = { name: 'Ada', email: 'ada@example.com', address: '' };
    expect((await subject.users.post('/users', ada)).status).toBe(201);
    expect((await subject.users.get('/users')).body.at(-1)).toMatchObject(ada);
    const after = await pay();
    expect(after.transactionId > before.transactionId).toBe(true);
    const path = `/transactions/${after.transactionId}/captures`;
    expect((await subject.payments.post(path, { amount: 500 })).status).toBe(201);
    await subject.control.snapshots.remove('empty');
    await subject.control.reset();
  });

  test.each(['f'.repeat(24), 'ffffffff746900007fffffff', '6a1d3c007469800000000001', 'x'])(
    'with the id %s is rejected, and the sandbox goes on',
    async (id) => {
      const forged = changed(({ records }) => {
        const counters = { captured: 0, refunded: 0, voided: 0, disputed: 0 };
        records.transaction?.push({ ...records.transaction[0], ...counters, id });
      });
      await expect(subject.control.snapshots.import('forged', forged)).rejects.toThrow(
        /records\.transaction\.\d+\.id: Must be an id that a sandbox made/,
      );
      expect(await subject.control.snapshots.list()).toEqual([]);
      expect(await pay()).toMatchObject({ successful: true });
    },
  );

  test.each<[string, (parsed: File) => void, string]>([
    ['no records', (parsed) => Object.assign(parsed, { records: null }), 'records'],
    ['a list of records', (parsed) => Object.assign(parsed, { records: [] }), 'records'],
    [
      'no tables',
      (parsed) => Object.assign(parsed, { records: {} }),
      'records.user_record: Missing',
    ],
    ['no demo app', ({ records }) => records.demo_app?.pop(), 'records.demo_app: Must be one row'],
    [
      'another table',
      ({ records }) => Object.assign(records, { pets: [] }),
      'records.pets: Unknown',
    ],
    ['another field', (parsed) => Object.assign(parsed, { pets: 1 }), 'pets: Unknown field'],
    [
      'a clock too late',
      ({ clock }) => Object.assign(clock, { aheadMs: 8.64e15 }),
      'clock.aheadMs',
    ],
    [
      'a clock too early',
      ({ clock }) => Object.assign(clock, { aheadMs: -8.64e15 }),
      'clock.aheadMs',
    ],
    [
      'a frozen clock too early',
      ({ clock }) => Object.assign(clock, { frozen: '0001-01-01T00:00:00Z' }),
      'clock.frozen: Must be from the year 1970',
    ],
  ])('with %s is rejected', async (_what, change, message) => {
    const sent = subject.control.snapshots.import('bad', changed(change));
    await expect(sent).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(message),
    });
    expect(await subject.control.snapshots.list()).toEqual([]);
  });

  test.each([
    ['merchant', { balance: 999_999_999 }, 'is not the sum of the balances of its lines'],
    ['merchant', { balance: 2 ** 60 }, 'records.merchant.0.balance'],
    ['line', { balance: 5 }, 'is not the sum of the balances of its lines'],
    ['merchant', { name: 'a\0b' }, 'records.merchant.0.name: Must be valid Unicode'],
    ['merchant', { color: 'red' }, 'records.merchant.0.color: Unknown field'],
    ['transaction', { card_last4: '4111111111111111' }, 'the last four digits'],
    ['transaction', { card_bin: '4111111111111111' }, 'the first six digits'],
    ['transaction', { currency: '<b>' }, 'Must be three capital letters'],
    ['transaction', { card_scheme: 'evil' }, 'Must be one of "visa", "mastercard"'],
    ['transaction', { tds: 'q' }, 'transaction.0.tds: Must be one of'],
    ['transaction', { created: 'infinity' }, 'transaction.0.created: Must be a date and time'],
    ['transaction', { error_code: 999 }, 'error_code: Must be a published code'],
    ['transaction', { id: null }, 'transaction.0.id: Must be a string'],
    [
      'merchant_app',
      { merchant_id: '000000007469000000000001' },
      'records.merchant_app: A row has the merchant_id 000000007469000000000001, which is in no',
    ],
  ])('whose first row of %s has %j is rejected', async (table, values, message) => {
    const sent = subject.control.snapshots.import('bad', first(table, values));
    await expect(sent).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(message),
    });
    expect(await subject.control.snapshots.list()).toEqual([]);
    expect(await pay()).toMatchObject({ successful: true });
  });

  test('with two equal rows, or amounts that contradict each other, names the table and the row', async () => {
    const twice = changed(({ records }) => records.app?.push({ ...records.app[0] }));
    const importing = subject.control.snapshots.import('bad', twice);
    await expect(importing).rejects.toThrow('records.app: Two rows have the same id');
    const row = JSON.parse(file).records.transaction[0];
    const more = first('transaction', { refunded: 999_999_999 });
    await expect(subject.control.snapshots.import('bad', more)).rejects.toThrow(
      `records.transaction: The row ${row.id} cannot exist: see transaction_`,
    );
  });
});
