import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { openPaymentPage, type PaymentPage } from './payment-page.ts';
import type { AnyRecord } from './shop.ts';

const NOW = Date.UTC(2030, 0, 15);
const link = { value: '10', redirect: 'https://shop.example/' };

/** The published list; 23 and 24 do not exist. */
const CODES = [...Array(31).keys()]
  .map((index) => index + 1)
  .filter((code) => ![23, 24].includes(code));

let time = NOW;
let sandbox: Sandbox;
let page: PaymentPage;

beforeAll(async () => {
  sandbox = await startTestSandbox({ environment: { clock: () => new Date(time) } });
  page = await openPaymentPage(sandbox);
});
beforeEach(() => {
  time = NOW;
});
afterAll(() => sandbox.close());

/** Makes a payment on the payment page, and returns the transaction. */
async function pay(number: string): Promise<AnyRecord> {
  return page.transactionOf(await page.pay(link, { number }));
}

/** Makes a payment from an earlier one. */
function payLater(transactionId: string) {
  const payment = { transactionId, currency: 'EUR', amount: 100 };
  return page.shop.payments.post(`/merchants/${page.shop.id}/transactions`, payment);
}

const capture = (id: string, amount: number) => page.shop.move('captures', id, { amount });

async function recordsOf(list: 'disputes' | 'frauds', transactionId: string) {
  const filter = `filter[merchantId]=${page.shop.id}&filter[transactionId]=${transactionId}`;
  return (await page.shop.payments.get(`/${list}?limit=9&${filter}`)).body;
}

describe('a card that succeeds', () => {
  test.each([
    ['4100000000000000', 'visa', '410000'],
    ['1000000000000000', 'visa', '100000'],
    ['5100000000000000', 'mastercard', '510000'],
  ])('(%s) has the scheme %s', async (number, scheme, bin) => {
    const { card, successful } = await pay(number);
    expect([successful, card.scheme, card.bin, card.last4]).toEqual([true, scheme, bin, '0000']);
  });

  test.each([
    ['4100000000000130', 'full'],
    ['4100000000000131', 'attempt'],
  ])('(%s) has 3-D Secure "%s", but later payments have none', async (number, tds) => {
    const first = await pay(number);
    expect([first.successful, first.tds]).toEqual([true, tds]);
    const { id } = (await payLater(first.id)).body.transaction;
    const later = (await page.shop.payments.get(`/transactions/${id}`)).body.transaction;
    expect([later.successful, later.tds, later.card.last4]).toEqual([
      true,
      'none',
      first.card.last4,
    ]);
  });
});

describe('a card that fails', () => {
  test.each<readonly [string, number]>([
    ['4200000000000000', 3],
    ...CODES.map((code) => [`41000000000000${String(code).padStart(2, '0')}`, code] as const),
  ])(
    '(%s) fails with processing error %d, and the failed transaction is stored',
    async (number, code) => {
      const { status, headers, data, html } = await page.pay(link, { number });
      expect([status, headers.get('location')]).toEqual([400, null]);
      expect(data).toEqual({
        'data-error': 'PROCESSING_ERROR',
        'data-error-code': String(code),
        'data-failed-transaction-id': expect.stringMatching(/^[0-9a-f]{24}$/),
      });
      const failed = await page.transactionOf({ status, headers, data, html });
      expect(failed).toMatchObject({
        amount: 1000,
        pendingAmount: 0,
        capturedAmount: 0,
        successful: false,
        error: { code },
        trail: [],
      });
      expect(html).toContain('<div role="alert">');
      expect(html).toContain(`<p lang="en">${failed.error.message}.</p>`);
    },
  );

  test('shows the error in the language of the link, and the form again', async () => {
    const sent = { number: '4100000000000007', amount: '10' };
    const { html } = await page.pay({ locale: 'fr' }, sent);
    expect(html).toContain('Le paiement a été refusé');
    expect(html).toContain('<input type="hidden" name="amount" value="10">');
    expect(html).toContain('<form method="post"');
  });

  test('cannot be the source of later payments', async () => {
    const failed = await pay('4100000000000007');
    expect(failed.successful).toBe(false);
    expect((await payLater(failed.id)).body).toEqual([
      { field: 'transactionId', message: expect.any(String) },
    ]);
  });
});

describe('an expired card', () => {
  test.each(['4100000000000000', '4100000000000007', '4200000000000000', '4100000000000100'])(
    '(%s) fails with processing error 6, and the failed transaction is stored',
    async (number) => {
      const failed = await page.pay(link, { number, expiry: '12/29' });
      expect(failed.data).toMatchObject({ 'data-error-code': '6' });
      expect(await page.transactionOf(failed)).toMatchObject({
        successful: false,
        error: { code: 6, message: 'Card expired' },
        card: { expiry: '2029-12-31T23:59:59.999Z' },
      });
    },
  );

  test('is rejected from the first millisecond of the next month', async () => {
    time = Date.UTC(2030, 1, 1) - 1;
    expect((await page.pay(link, { expiry: '01/30' })).status).toBe(303);
    time = Date.UTC(2030, 1, 1);
    expect((await page.pay(link, { expiry: '01/30' })).status).toBe(400);
  });
});

describe('a card with later effects', () => {
  test.each([
    ['4100000000000100', undefined],
    ['4100000000000101', 'won'],
    ['4100000000000102', 'lost'],
  ])('(%s) opens a dispute for every capture, with the outcome %s', async (number, outcome) => {
    const { id } = await pay(number);
    expect((await capture(id, 400)).disputedAmount).toBe(400);
    await capture(id, 600);
    const disputes = await recordsOf('disputes', id);
    expect(disputes.map((each: AnyRecord) => each.amount)).toEqual([600, 400]);
    time += 2_000;
    await sandbox.advanceClock(0);
    const { trail } = (await page.shop.payments.get(`/transactions/${id}`)).body.transaction;
    const outcomes = trail.flatMap(({ dispute }: AnyRecord) => dispute ?? []);
    const expected = disputes.map((each: AnyRecord) => ({ id: each.id, [`${outcome}`]: true }));
    expect(outcomes).toEqual(outcome === undefined ? [] : expected.reverse());
  });

  test('(4100000000000110) files a fraud alert for the first capture only', async () => {
    const { id } = await pay('4100000000000110');
    expect(await recordsOf('frauds', id)).toEqual([]);
    await capture(id, 400);
    await capture(id, 600);
    const alerts = await recordsOf('frauds', id);
    expect(alerts).toEqual([expect.objectContaining({ transactionId: id, reason: 1 })]);
  });

  test.each([
    ['4100000000000120', 7],
    ...CODES.map((code) => [`41000000000002${String(code).padStart(2, '0')}`, code] as const),
  ] as const)(
    '(%s) succeeds once, and fails with processing error %d for later payments',
    async (number, code) => {
      const first = await pay(number);
      expect([first.successful, first.card.last4]).toEqual([true, number.slice(-4)]);
      expect((await capture(first.id, 1000)).capturedAmount).toBe(1000);
      const { status, body } = await payLater(first.id);
      expect([status, body.code]).toEqual([400, code]);
      const failed = await page.shop.payments.get(`/transactions/${body.response.transaction.id}`);
      expect(failed.body.transaction).toMatchObject({ successful: false, error: { code } });
    },
  );

  test('fails for later payments with its saved card, too', async () => {
    const { id: transactionId } = await pay('4100000000000209');
    const { payments, id } = page.shop;
    const saved = await payments.post(`/merchants/${id}/cards`, { transactionId });
    const payment = { cardId: saved.body.card.id, currency: 'EUR', amount: 100 };
    const { status, body } = await payments.post(`/merchants/${id}/transactions`, payment);
    expect([status, body.code]).toEqual([400, 9]);
  });

  test.each(['4100000000000200', '4100000000000223', '4100000000000224', '4100000000000232'])(
    '(%s) is not published, because no processing error has this code',
    async (number) => {
      expect((await page.pay(link, { number })).data).toEqual({ 'data-error': 'CARD_REFUSED' });
    },
  );

  test.each([
    ...[0, 1, 2, 3, 4, 5, 6, 7, 8].map((reason) => [`410000000000030${reason}`, reason] as const),
    ['4100000000000309', undefined],
  ] as const)('(%s) files one fraud alert with the reason %s', async (number, reason) => {
    const { id } = await pay(number);
    for (const amount of [400, 600]) expect((await capture(id, amount)).disputedAmount).toBe(0);
    const [alert, ...others] = await recordsOf('frauds', id);
    expect([alert.transactionId, alert.reason, others]).toEqual([id, reason, []]);
    expect('reason' in alert).toBe(reason !== undefined);
    expect(alert.reported).toBe(alert.created);
  });

  test('(4100000000000310) files a fraud alert without the time of the report', async () => {
    const { id } = await pay('4100000000000310');
    await capture(id, 1000);
    const [alert] = await recordsOf('frauds', id);
    expect(alert).toMatchObject({ transactionId: id, reason: 1 });
    expect(alert).not.toHaveProperty('reported');
  });

  test('(4100000000000311) is not published', async () => {
    const { data } = await page.pay(link, { number: '4100000000000311' });
    expect(data).toEqual({ 'data-error': 'CARD_REFUSED' });
  });

  test('does not affect other cards', async () => {
    const { id } = await pay('4100000000000000');
    expect((await capture(id, 1000)).disputedAmount).toBe(0);
    expect(await recordsOf('disputes', id)).toEqual([]);
    expect(await recordsOf('frauds', id)).toEqual([]);
  });
});
