import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ledgerFaults } from '../sandbox/ledger.ts';
import { EUR_MERCHANT, type Subject, ways } from './subject.ts';

describe.each(ways)('all records %s', (_way, start) => {
  let subject: Subject;
  beforeAll(async () => {
    subject = await start();
  });
  beforeEach(() => subject.control.reset());
  afterAll(() => subject.close());

  const list = async (path: string) => (await subject.payments.get(path)).text;
  /** Everything that callers can see of the demo merchant and of the users. */
  const everything = async () => [
    await list(`/merchants/${EUR_MERCHANT}`),
    await list(`/merchants/${EUR_MERCHANT}/transactions?limit=1000`),
    await list(`/merchants/${EUR_MERCHANT}/lines?limit=1000`),
    await list(`/merchants/${EUR_MERCHANT}/users?limit=1000`),
    await list(`/disputes?limit=1000&filter[merchantId]=${EUR_MERCHANT}`),
    await list(`/frauds?limit=1000&filter[merchantId]=${EUR_MERCHANT}`),
    await list(`/identities/${subject.app.id}/merchants?limit=1000`),
    (await subject.users.get('/users')).text,
  ];
  const change = async () => {
    const { merchant } = await subject.control.makeScene();
    await subject.users.post('/users', { name: 'New', email: 'new@example.com', address: '' });
    await subject.payments.put(`/merchants/${EUR_MERCHANT}`, { name: 'Renamed' });
    return merchant.id;
  };

  test('a reset restores the demo data, and the key of the demo app still works', async () => {
    const before = await everything();
    await change();
    expect(await everything()).not.toEqual(before);
    await subject.control.reset();
    expect(await everything()).toEqual(before);
  });

  test('a reset removes the faults', async () => {
    await subject.control.faults.add({ kind: 'status', status: 503 });
    await subject.control.reset();
    expect(await subject.control.faults.list()).toEqual([]);
  });

  test('a reset to empty leaves the demo app alone', async () => {
    await change();
    await subject.control.reset({ to: 'empty' });
    expect((await subject.payments.get('/me')).body.identity.id).toBe(subject.app.id);
    expect((await subject.users.get('/users')).body).toEqual([]);
    expect((await subject.payments.get(`/merchants/${EUR_MERCHANT}`)).status).toBe(404);
    expect(await subject.control.outbox()).toEqual([]);
  });

  test('no id is used twice, whatever is reset', async () => {
    const ids = [await change()];
    for (const to of ['demo', 'empty', 'demo'] as const) {
      await subject.control.reset({ to });
      ids.push(await change().catch(() => ''));
    }
    const made = ids.filter((id) => id !== '');
    expect(made).toEqual([...new Set(made)].sort());
  });

  test('a snapshot brings back all records and the clock, and stays after a reset', async () => {
    const merchantId = await change();
    await subject.control.clock.advance({ ms: 86_400_000 });
    await subject.control.clock.freeze();
    const [clock, before] = [await subject.control.clock.read(), await everything()];
    const taken = await subject.control.snapshots.take('before');
    expect(await subject.control.snapshots.list()).toEqual([taken]);
    await subject.control.reset({ to: 'empty' });
    await subject.control.reset({ to: { snapshot: 'before' } });
    expect(await everything()).toEqual(before);
    expect(await subject.control.clock.read()).toEqual(clock);
    expect((await ledgerFaults({ payments: subject.payments, id: merchantId })).faults).toEqual([]);
    await subject.control.snapshots.remove('before');
    const gone = subject.control.reset({ to: { snapshot: 'before' } });
    await expect(gone).rejects.toThrow('There is no snapshot "before"');
    expect(await everything()).toEqual(before);
  });

  test('a file moves a snapshot to another sandbox, which keeps its own key', async () => {
    const paid = await subject.control.pay({ merchantId: EUR_MERCHANT, amount: 700 });
    const path = `/merchants/${EUR_MERCHANT}/transactions`;
    const custom = { ref: 'ü', list: [1, null] };
    const source = { transactionId: paid.transactionId, amount: 100, currency: 'EUR' };
    await subject.payments.post(path, { ...source, custom });
    await subject.control.snapshots.take('moved');
    const [file, before] = [await subject.control.snapshots.export('moved'), await everything()];
    await subject.control.snapshots.remove('moved');
    const other = await start();
    try {
      expect((await other.payments.get('/me')).body.identity.id).toBe(other.app.id);
      await other.control.snapshots.import('from-elsewhere', file);
      await other.control.reset({ to: { snapshot: 'from-elsewhere' } });
      const moved = await other.payments.get(`${path}?limit=1000`);
      expect(moved.text).toBe(before[1]);
      const { transactionId } = await other.control.pay({ merchantId: EUR_MERCHANT, amount: 700 });
      expect(transactionId > moved.body[0].id).toBe(true);
    } finally {
      await other.close();
    }
  });

  test.each([
    ['not JSON', '{', 400, 'Must be valid JSON'],
    ['another file', '{"format":"other","version":3,"records":{}}', 400, 'Must be a snapshot'],
    [
      'a later version',
      '{"format":"tillgraph-sandbox-snapshot","version":99,"taken":"2026-01-01T00:00:00Z","records":{}}',
      409,
      'version 99',
    ],
  ])(
    'a file that is %s is rejected, and nothing is stored',
    async (_what, file, status, message) => {
      const sent = subject.control.snapshots.import('bad', file);
      await expect(sent).rejects.toMatchObject({
        status,
        message: expect.stringContaining(message),
      });
      expect(await subject.control.snapshots.list()).toEqual([]);
    },
  );

  test('a file with records that no sandbox could have is rejected, and changes nothing', async () => {
    const before = await everything();
    await subject.control.snapshots.take('good');
    const file = await subject.control.snapshots.export('good');
    const bad = file.replace(/"refunded":0/, '"refunded":999999999');
    expect(bad).not.toBe(file);
    await expect(subject.control.snapshots.import('bad', bad)).rejects.toThrow(
      /^PUT \/snapshots\/bad: records.transaction: The row \w+ cannot exist/,
    );
    expect((await subject.control.snapshots.list()).map(({ name }) => name)).toEqual(['good']);
    expect(await everything()).toEqual(before);
    await subject.control.snapshots.remove('good');
  });
});
