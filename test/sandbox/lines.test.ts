import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { ledgerFaults } from './ledger.ts';
import { type AnyRecord, openShop, type Shop } from './shop.ts';

const DISPUTE_DELAY_MS = 2_000;

let time = Date.UTC(2030, 0, 1);
let sandbox: Sandbox;
let shop: Shop;

beforeAll(async () => {
  sandbox = await startTestSandbox({ environment: { clock: () => new Date(time) } });
  shop = await openShop(sandbox);
});
afterAll(() => sandbox.close());

async function balanceOf({ payments, id }: Shop): Promise<number> {
  return (await payments.get(`/merchants/${id}`)).body.merchant.balance;
}

/** Moves the clock forward and gives due disputes their outcome. */
async function pass(milliseconds: number): Promise<void> {
  time += milliseconds;
  await sandbox.advanceClock(0);
}

async function trailOf(id: string): Promise<AnyRecord[]> {
  return (await shop.payments.get(`/transactions/${id}`)).body.transaction.trail;
}

/** The gross amount, flat fee, percentage fee and balance of an entry. */
function amountsOf({ balance, fee }: AnyRecord): number[] {
  return [balance + fee.flat + fee.rate, fee.flat, fee.rate, balance];
}

async function newestLines(limit: number): Promise<AnyRecord[]> {
  return (await shop.payments.get(`/merchants/${shop.id}/lines?limit=${limit}`)).body;
}

describe('lines', () => {
  test('a capture and a refund each add a line, newest first', async () => {
    const { id } = await shop.charge(1000, { descriptor: 'LINES' });
    await shop.move('captures', id, { amount: 1000, descriptor: 'SENT' });
    const { trail } = await shop.move('refunds', id, { amount: 400 });
    const common = { merchantId: shop.id, test: true };
    expect(await newestLines(2)).toEqual([
      {
        ...common,
        id: trail[1].lineId,
        created: trail[1].created,
        balance: -390,
        fee: -10,
        transactionId: id,
        amount: { currency: 'EUR', amount: 400 },
        refund: true,
        description: 'LINES',
      },
      {
        ...common,
        id: trail[0].lineId,
        created: trail[0].created,
        balance: 950,
        fee: 50,
        transactionId: id,
        amount: { currency: 'EUR', amount: 1000 },
        capture: true,
        description: 'SENT',
      },
    ]);
  });

  test('the amount of a line is in the transaction’s currency, the balance in the merchant’s', async () => {
    const { id } = await shop.charge(1000, { currency: 'JPY' });
    await shop.move('captures', id, { amount: 1000 });
    const [line] = await newestLines(1);
    expect(line).toMatchObject({
      amount: { currency: 'JPY', amount: 1000 },
      balance: 579,
      fee: 41,
    });
  });

  test('a void adds no line', async () => {
    const { id } = await shop.charge(1000);
    const before = await newestLines(1);
    await shop.move('voids', id, { amount: 1000 });
    expect(await newestLines(1)).toEqual(before);
  });

  test.each([
    ['0101', 'won', 0, 0],
    ['0102', 'lost', -2500, 1500],
  ])(
    'a dispute with card …%s adds a line when it opens and a line when it is %s',
    async (last4, outcome, balance, fee) => {
      const disputed = await openShop(sandbox, 'EUR', last4);
      const { id } = await disputed.charge(1000);
      await disputed.move('captures', id, { amount: 1000 });
      await pass(DISPUTE_DELAY_MS);
      const [closing, opening] = await newestLines(2);
      const common = {
        transactionId: id,
        amount: { currency: 'EUR', amount: 1000 },
        dispute: true,
        disputeId: opening.disputeId,
        description: 'Services not provided or merchandise not received',
      };
      expect(opening).toMatchObject({ ...common, balance: 0, fee: 0 });
      expect(Object.keys(opening)).not.toContain(outcome);
      expect(closing).toMatchObject({ ...common, balance, fee, [outcome]: true });
    },
  );

  test('a single line has no envelope, and its fields have a fixed order', async () => {
    const { id } = await shop.charge(1000);
    const { trail } = await shop.move('captures', id, { amount: 1000 });
    const [line] = await newestLines(1);
    const { status, text } = await shop.payments.get(`/lines/${trail[0].lineId}`);
    expect(status).toBe(200);
    expect(text).toBe(JSON.stringify(line));
    expect(Object.keys(line)).toEqual([
      'id',
      'created',
      'merchantId',
      'test',
      'balance',
      'fee',
      'transactionId',
      'amount',
      'capture',
      'description',
    ]);
  });

  test('the list can be filtered by test mode', async () => {
    const path = `/merchants/${shop.id}/lines?limit=1000`;
    const all = (await shop.payments.get(path)).body;
    expect((await shop.payments.get(`${path}&filter[test]=yes`)).body).toEqual(all);
    expect((await shop.payments.get(`${path}&filter[test]=no`)).body).toEqual([]);
  });
});

describe('captures and refunds', () => {
  test('a capture of EUR 5 and two refunds cost the flat fee only on an account in DKK', async () => {
    const dkk = await openShop(sandbox, 'DKK');
    const before = await balanceOf(dkk);
    const { id } = await dkk.charge(1000, { currency: 'EUR' });
    await dkk.move('captures', id, { amount: 500 });
    await dkk.move('refunds', id, { amount: 333 });
    const { trail } = await dkk.move('refunds', id, { amount: 167 });
    expect(trail.map(amountsOf)).toEqual([
      [3731, 187, 93, 3451],
      [-2485, 0, -62, -2423],
      [-1246, 0, -31, -1215],
    ]);
    expect(await balanceOf(dkk)).toBe(before - 187);
  });

  test.each([
    ['EUR', [1000, 25, 25, 950]],
    ['JPY', [620, 25, 16, 579]],
    ['KWD', [300, 25, 8, 267]],
  ])(
    'a capture of 1000 minor units of %s is exchanged on an account in EUR',
    async (currency, expected) => {
      const { id } = await shop.charge(1000, { currency });
      const { trail } = await shop.move('captures', id, { amount: 1000 });
      expect(trail.map(amountsOf)).toEqual([expected]);
    },
  );

  test('a capture of less than its fees costs the merchant money', async () => {
    const { id } = await shop.charge(1);
    const { trail } = await shop.move('captures', id, { amount: 1 });
    expect(trail.map(amountsOf)).toEqual([[1, 25, 0, -24]]);
  });
});

describe('disputes', () => {
  test('a lost dispute takes back the gross amount and costs a fee on an account in DKK', async () => {
    const dkk = await openShop(sandbox, 'DKK', '0102');
    const { id } = await dkk.charge(500, { currency: 'EUR' });
    expect((await dkk.move('captures', id, { amount: 500 })).disputedAmount).toBe(500);
    await dkk.move('refunds', id, { amount: 100 });
    await pass(DISPUTE_DELAY_MS);
    const { trail, disputedAmount } = (await shop.payments.get(`/transactions/${id}`)).body
      .transaction;
    const outcome = trail.find((entry: AnyRecord) => entry.dispute);
    expect(outcome.dispute).toEqual({ id: expect.stringMatching(/^[0-9a-f]{24}$/), lost: true });
    expect(amountsOf(outcome)).toEqual([-3731, 11194, 0, -14925]);
    expect(disputedAmount).toBe(500);
    expect((await ledgerFaults(dkk)).faults).toEqual([]);
  });

  test('a won dispute does not change the balance', async () => {
    const won = await openShop(sandbox, 'EUR', '0101');
    const { id } = await won.charge(500);
    await won.move('captures', id, { amount: 500 });
    time += DISPUTE_DELAY_MS;
    await Promise.all(Array.from({ length: 8 }, () => sandbox.advanceClock(0))); // only one of them may add the entry
    await sandbox.advanceClock(0);
    const trail = await trailOf(id);
    expect(trail.map((entry: AnyRecord) => entry.dispute?.won)).toEqual([undefined, true]);
    expect(amountsOf(trail[1])).toEqual([0, 0, 0, 0]);
  });

  test('the outcome comes exactly two seconds after the capture', async () => {
    const won = await openShop(sandbox, 'EUR', '0101');
    const { id } = await won.charge(500);
    await won.move('captures', id, { amount: 500 });
    await pass(DISPUTE_DELAY_MS - 1);
    expect(await trailOf(id)).toHaveLength(1);
    await pass(1);
    expect(await trailOf(id)).toHaveLength(2);
  });

  test('every capture opens its own dispute, and a dispute can stay open', async () => {
    const open = await openShop(sandbox, 'EUR', '0100');
    const { id } = await open.charge(500);
    await open.move('captures', id, { amount: 200 });
    await open.move('captures', id, { amount: 300 });
    await pass(DISPUTE_DELAY_MS);
    const { trail, disputedAmount } = (await shop.payments.get(`/transactions/${id}`)).body
      .transaction;
    expect(disputedAmount).toBe(500);
    expect(trail.map((entry: AnyRecord) => entry.capture)).toEqual([true, true]);
    expect((await ledgerFaults(open)).faults).toEqual([]);
  });
});
