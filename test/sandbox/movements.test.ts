import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { ledgerFaults } from './ledger.ts';
import { type AnyRecord, form, openShop, type Shop } from './shop.ts';

let sandbox: Sandbox;
let shop: Shop;

beforeAll(async () => {
  sandbox = await startTestSandbox();
  shop = await openShop(sandbox);
});
afterAll(() => sandbox.close());

async function balanceOf({ payments, id }: Shop): Promise<number> {
  return (await payments.get(`/merchants/${id}`)).body.merchant.balance;
}

async function reload({ id }: AnyRecord): Promise<AnyRecord> {
  return (await shop.payments.get(`/transactions/${id}`)).body.transaction;
}

/** The amounts pending, captured, refunded, voided and disputed. */
function counters(transaction: AnyRecord): number[] {
  return ['pending', 'captured', 'refunded', 'voided', 'disputed'].map(
    (name) => transaction[`${name}Amount`],
  );
}

describe('a movement', () => {
  test('changes its own counter, and only the pending amount decreases', async () => {
    const { id } = await shop.charge(1000);
    const seen: number[][] = [];
    for (const [movement, amount] of [
      ['captures', 400],
      ['refunds', 100],
      ['captures', 100],
      ['voids', 200],
      ['refunds', 400],
      ['voids', 300],
    ] as const) {
      seen.push(counters(await shop.move(movement, id, { amount })));
    }
    expect(seen).toEqual([
      [600, 400, 0, 0, 0],
      [600, 400, 100, 0, 0],
      [500, 500, 100, 0, 0],
      [300, 500, 100, 200, 0],
      [300, 500, 500, 200, 0],
      [0, 500, 500, 500, 0],
    ]);
    expect((await ledgerFaults(shop)).faults).toEqual([]);
  });

  test('returns 201 with the complete changed transaction', async () => {
    const transaction = await shop.charge(1000);
    for (const movement of ['captures', 'refunds', 'voids']) {
      const response = await shop.payments.post(`/transactions/${transaction.id}/${movement}`, {
        amount: 10,
      });
      expect(response.status).toBe(201);
      expect(response.text).toBe((await shop.payments.get(`/transactions/${transaction.id}`)).text);
    }
  });

  test('adds an entry with the fields of its kind to the end of the trail', async () => {
    const { id } = await shop.charge(1000, { descriptor: 'THE SHOP' });
    await shop.move('captures', id, { amount: 600, descriptor: 'FIRST PARCEL' });
    await shop.move('voids', id, { amount: 400 });
    const { trail } = await shop.move('refunds', id, { amount: 600, descriptor: '' });
    const [capture, cancel, refund] = trail;
    expect(JSON.stringify(trail)).toBe(
      JSON.stringify([
        {
          fee: { flat: 25, rate: 15 },
          amount: 600,
          balance: 560,
          created: capture.created,
          capture: true,
          descriptor: 'FIRST PARCEL',
          lineId: capture.lineId,
        },
        {
          fee: { flat: 0, rate: 0 },
          amount: 400,
          balance: 0,
          created: cancel.created,
          void: true,
        },
        {
          fee: { flat: 0, rate: -15 },
          amount: 600,
          balance: -585,
          created: refund.created,
          refund: true,
          descriptor: 'THE SHOP',
          lineId: refund.lineId,
        },
      ]),
    );
  });

  test('changes the balance of the merchant by the balance of its entry', async () => {
    const before = await balanceOf(shop);
    const { id } = await shop.charge(1000);
    await shop.move('captures', id, { amount: 1000 });
    expect(await balanceOf(shop)).toBe(before + 950);
    await shop.move('refunds', id, { amount: 1000 });
    expect(await balanceOf(shop)).toBe(before - 25);
  });

  test('accepts a form, and the currency of the transaction', async () => {
    const { id } = await shop.charge(1000);
    const path = `/transactions/${id}/captures`;
    const { status } = await shop.payments.send(path, form('amount=300&currency=EUR&descriptor='));
    expect(status).toBe(201);
    expect(counters(await reload({ id }))).toEqual([700, 300, 0, 0, 0]);
  });
});

describe('the largest amount', () => {
  test.each([
    ['EUR', 500, 'EUR 5'],
    ['EUR', 550, 'EUR 5.5'],
    ['EUR', 1234, 'EUR 12.34'],
    ['EUR', 5, 'EUR 0.05'],
    ['JPY', 1000, 'JPY 1000'],
    ['KWD', 1234, 'KWD 1.234'],
    ['KWD', 10, 'KWD 0.01'],
  ])('is reported in major units: %s, %i minor units', async (currency, amount, words) => {
    const { id } = await shop.charge(amount, { currency });
    for (const action of ['capture', 'void']) {
      const { status, text } = await shop.payments.post(`/transactions/${id}/${action}s`, {
        amount: amount + 1,
      });
      expect(status).toBe(400);
      expect(text).toBe(
        JSON.stringify([{ field: 'amount', message: `Can ${action} at most ${words}` }]),
      );
    }
    await shop.move('captures', id, { amount });
    const { body } = await shop.payments.post(`/transactions/${id}/refunds`, {
      amount: amount + 1,
    });
    expect(body).toEqual([{ field: 'amount', message: `Can refund at most ${words}` }]);
  });

  test('of a refund is the amount that is captured and not refunded', async () => {
    const transaction = await shop.charge(1000);
    const refund = (amount: number) =>
      shop.payments.post(`/transactions/${transaction.id}/refunds`, { amount });
    expect((await refund(1)).body[0].message).toBe('Can refund at most EUR 0');
    await shop.move('captures', transaction.id, { amount: 500 });
    await shop.move('refunds', transaction.id, { amount: 200 });
    expect((await refund(301)).body[0].message).toBe('Can refund at most EUR 3');
    expect((await refund(300)).status).toBe(201);
    expect((await refund(1)).body[0].message).toBe('Can refund at most EUR 0');
  });

  test('of a capture or a void is the pending amount', async () => {
    const { id } = await shop.charge(1000);
    await shop.move('captures', id, { amount: 300 });
    await shop.move('voids', id, { amount: 300 });
    await shop.move('refunds', id, { amount: 300 });
    for (const action of ['capture', 'void']) {
      const { body } = await shop.payments.post(`/transactions/${id}/${action}s`, { amount: 401 });
      expect(body).toEqual([{ field: 'amount', message: `Can ${action} at most EUR 4` }]);
    }
  });

  test('of a failed transaction is 0', async () => {
    const path = `/merchants/${shop.id}/transactions?limit=1&filter[successful]=no`;
    const [failed] = (await shop.payments.get(path)).body;
    for (const action of ['capture', 'refund', 'void']) {
      const { status, body } = await shop.payments.post(`/transactions/${failed.id}/${action}s`, {
        amount: 1,
      });
      expect(status).toBe(400);
      expect(body).toEqual([
        { field: 'amount', message: `Can ${action} at most ${failed.currency} 0` },
      ]);
    }
  });
});

describe('invalid input', () => {
  test.each([
    ['captures', { amount: 0 }, ['amount']],
    ['captures', { amount: 1.5 }, ['amount']],
    ['captures', { amount: '1' }, ['amount']],
    ['captures', {}, ['amount']],
    ['captures', { amount: 1, currency: 'DKK' }, ['currency']],
    ['captures', { amount: 1, currency: 'eur' }, ['currency']],
    ['captures', { amount: 5000, currency: 'DKK' }, ['amount', 'currency']],
    ['captures', { amount: 1, descriptor: 'x'.repeat(23) }, ['descriptor']],
    ['captures', { amount: 1, descriptor: 'CAFÉ' }, ['descriptor']],
    ['refunds', { amount: null }, ['amount']],
    ['refunds', { amount: 1, descriptor: 'x'.repeat(23) }, ['descriptor']],
    ['voids', { amount: -1 }, ['amount']],
    ['voids', undefined, ['amount']],
  ])('%s with %j is rejected by field, and moves nothing', async (movement, input, fields) => {
    const { id } = await shop.charge(1000);
    const before = await shop.move('captures', id, { amount: 500 });
    const { status, body } = await shop.payments.post(`/transactions/${id}/${movement}`, input);
    expect(status).toBe(400);
    expect(body.map(({ field }: AnyRecord) => field)).toEqual(fields);
    expect(await reload({ id })).toEqual(before);
  });

  test('the currency of a refund or void and the descriptor of a void are ignored', async () => {
    const { id } = await shop.charge(1000);
    await shop.move('captures', id, { amount: 500 });
    await shop.move('refunds', id, { amount: 1, currency: 'DKK' });
    const { trail } = await shop.move('voids', id, {
      amount: 1,
      currency: 'DKK',
      descriptor: 'CAFÉ',
    });
    expect(trail).toHaveLength(3);
  });
});
