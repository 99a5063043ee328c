import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { EUR_MERCHANT, type Subject, ways } from './subject.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe.each(ways)('the clock %s', (_way, start) => {
  let subject: Subject;
  beforeAll(async () => {
    subject = await start();
  });
  beforeEach(() => subject.control.reset({ to: 'demo' }));
  afterAll(() => subject.close());

  const now = async () => Date.parse((await subject.control.clock.read()).now);
  const captured = async (card: string) => {
    const paid = await subject.control.pay({ merchantId: EUR_MERCHANT, amount: 1_000, card });
    await subject.payments.post(`/transactions/${paid.transactionId}/captures`, { amount: 1_000 });
    return paid.transactionId;
  };
  const trail = async (id: string) =>
    (await subject.payments.get(`/transactions/${id}`)).body.transaction.trail;

  test('reads the time of the machine until it is moved, and moves forward only', async () => {
    const before = Date.now();
    const reading = await now();
    expect(reading).toBeGreaterThanOrEqual(before);
    expect(reading).toBeLessThanOrEqual(Date.now());
    const moved = await subject.control.clock.advance({ ms: DAY_MS });
    expect(Date.parse(moved.now)).toBeGreaterThanOrEqual(reading + DAY_MS);
    const back = new Date(reading).toISOString();
    await expect(subject.control.clock.advance({ to: back })).rejects.toThrow('moves forward only');
    await expect(subject.control.clock.advance({ ms: 1e15 })).rejects.toThrow('year 9000');
  });

  test('stands still when it is frozen, and goes on from there', async () => {
    const { now: frozen } = await subject.control.clock.freeze();
    const made = [await captured('success'), await captured('success')];
    const times = await Promise.all(made.map(async (id) => (await trail(id))[0].created));
    expect(times).toEqual([frozen, frozen]);
    await subject.control.clock.advance({ ms: 1_000 });
    expect(await now()).toBe(Date.parse(frozen) + 1_000);
    expect(await subject.control.clock.resume()).toMatchObject({ frozen: false });
    expect(await now()).toBeGreaterThanOrEqual(Date.parse(frozen) + 1_000);
    expect(await now()).toBeLessThan(Date.parse(frozen) + HOUR_MS);
  });

  test('what is due on the way happens in order, each at its own time', async () => {
    const { now: start } = await subject.control.clock.freeze();
    await subject.control.payouts.setSchedule(HOUR_MS);
    const lost = await captured('dispute-lost');
    const won = await captured('dispute-won');
    const late = await captured('success');
    await subject.control.disputes.open({
      transactionId: late,
      outcome: 'lost',
      outcomeInMs: 90 * 60_000,
    });
    await subject.control.clock.advance({ ms: DAY_MS });
    const at = (ms: number) => new Date(Date.parse(start) + ms).toISOString();
    expect((await trail(lost))[1]).toMatchObject({ created: at(2_000), dispute: { lost: true } });
    expect((await trail(won))[1]).toMatchObject({ created: at(2_000), dispute: { won: true } });
    expect((await trail(late))[1]).toMatchObject({ created: at(90 * 60_000) });
    const lines = (await subject.payments.get(`/merchants/${EUR_MERCHANT}/lines?limit=5`)).body;
    // Newest first: the late outcome makes the balance negative, so nothing is paid out after it.
    expect(lines[0]).toMatchObject({ created: at(90 * 60_000), lost: true });
    expect(lines[1]).toMatchObject({ created: at(HOUR_MS), payout: true });
    expect(lines[2].created).toBe(at(2_000));
  });

  test('a card expires by it', async () => {
    const pay = () =>
      subject.control.pay({
        merchantId: EUR_MERCHANT,
        amount: 500,
        card: 'success',
        expiry: '12/30',
      });
    expect(await pay()).toMatchObject({ successful: true, error: null });
    await subject.control.clock.advance({ to: '2031-01-01T00:00:00Z' });
    expect(await pay()).toMatchObject({ successful: false, error: { code: 6 } });
  });

  test('is kept with the data: a reset may set it to any instant', async () => {
    await subject.control.reset({ to: 'empty', time: '2001-02-03T04:05:06Z' });
    const { body } = await subject.payments.post('/apps', { name: 'Early' });
    expect(Math.floor((await now()) / DAY_MS)).toBe(Math.floor(Date.UTC(2001, 1, 3) / DAY_MS));
    // The id is still larger than all before it.
    expect(body.app.id > (await subject.control.makeScene({ payments: [] })).merchant.id).toBe(
      false,
    );
    await subject.control.reset();
    expect(Math.abs((await now()) - Date.now())).toBeLessThan(HOUR_MS);
  });
});
