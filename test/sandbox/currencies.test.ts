import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { openPaymentPage, type PaymentPage } from './payment-page.ts';
import { type AnyRecord, fieldsOf, smallestMerchant } from './shop.ts';

const NOW = Date.UTC(2026, 10, 1);

/** Active codes that the published list lacks, or says are deprecated, and some that it has. */
const active = [
  ...['BYN', 'LYD', 'SSP', 'SVC', 'VED', 'VES', 'XCG', 'ZMW', 'ZWG'],
  ...['BOV', 'CHE', 'CHW', 'CLF', 'COU', 'MXV', 'USN', 'UYI', 'UYW'],
  ...['EUR', 'JPY', 'MRU', 'SLE', 'STN', 'XAF', 'XCD', 'XOF', 'XPF'],
];

/** The first day of each withdrawn code without new payments. */
const withdrawn = {
  ZMK: '2013-01-01',
  BYR: '2017-01-01',
  MRO: '2018-01-01',
  STD: '2018-01-01',
  VEF: '2018-08-20',
  HRK: '2023-01-01',
  SLL: '2024-04-01',
  ZWL: '2024-09-01',
  ANG: '2025-07-01',
  BGN: '2026-01-01',
};

/** Metals, units of account, and the codes for tests and for no currency belong to no country. */
const ofNoCountry = [
  ...['XAD', 'XAG', 'XAU', 'XBA', 'XBB', 'XBC', 'XBD', 'XDR', 'XPD', 'XPT', 'XSU', 'XTS'],
  ...['XUA', 'XXX', 'AAA', 'eur', ''],
];

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

/** Requests a payment through the API. */
function charge(currency: string, amount = 1000) {
  const { payments, id, source: transactionId } = page.shop;
  return payments.post(`/merchants/${id}/transactions`, { transactionId, currency, amount });
}

test.each(active)('%s can be charged through the API and on the payment page', async (currency) => {
  expect((await charge(currency)).status).toBe(201);
  expect((await page.open({ currency, value: '7' })).status).toBe(200);
});

test.each([...Object.keys(withdrawn), ...ofNoCountry])('%j cannot be charged', async (currency) => {
  const { status, body } = await charge(currency);
  expect([status, fieldsOf(body)]).toEqual([400, ['currency']]);
  for (const response of [await page.open({ currency }), await page.pay({ currency })]) {
    expect(response.data).toEqual({ 'data-error': 'CURRENCY_INVALID' });
  }
});

test.each(Object.entries(withdrawn))('%s can be charged until %s', async (currency, end) => {
  time = Date.parse(end) - 1;
  const { status, body } = await charge(currency);
  expect(status).toBe(201);
  expect((await page.open({ currency })).status).toBe(200);
  time = Date.parse(end);
  expect((await charge(currency)).status).toBe(400);
  expect((await page.open({ currency })).status).toBe(400);
  const captured = await page.shop.move('captures', body.transaction.id, {
    amount: 1000,
    currency,
  });
  expect(captured).toMatchObject({ currency, capturedAmount: 1000 });
});

test('the document of the service lists the codes that can be charged', async () => {
  const { paths } = (await page.shop.payments.get('/openapi.json')).body;
  const { content } = paths['/merchants/{id}/transactions'].post.requestBody;
  const codes: string[] = content['application/json'].schema.properties.currency.enum;
  expect(codes).toHaveLength(164);
  expect(codes).toEqual(expect.arrayContaining(active));
  expect(codes.filter((code) => code in withdrawn || ofNoCountry.includes(code))).toEqual([]);
});

describe('an amount', () => {
  test.each([
    ['CLF', '1.2345', 12345, 'CLF\u00a01.2345'],
    ['LYD', '1.234', 1234, 'LYD\u00a01.234'],
    ['UYI', '12', 12, 'UYI\u00a012'],
    ['BYN', '1.25', 125, 'BYN\u00a01.25'],
  ])('in %s has the decimals of its currency', async (currency, value, minorUnits, shown) => {
    const tooFine = value.includes('.') ? `${value}0` : `${value}.0`;
    expect((await page.open({ currency, value: tooFine })).data).toEqual({
      'data-error': 'VALUE_INVALID',
    });
    expect((await page.open({ currency, value })).html).toContain(shown);
    const paid = await page.transactionOf(await page.pay({ currency, value }));
    expect(paid.amount).toBe(minorUnits);
    // One major unit is worth 10 euro cents.
    const captured = await page.shop.move('captures', paid.id, { amount: minorUnits });
    const [{ balance, fee }] = captured.trail;
    expect(balance + fee.flat + fee.rate).toBe(Math.round(Number(value) * 10));
  });
});

describe('a merchant with a withdrawn funding currency', () => {
  let merchant: AnyRecord;

  beforeAll(async () => {
    const input = { ...smallestMerchant, currency: 'BGN', test: true };
    const { status, body } = await page.shop.payments.post('/merchants', input);
    expect(status).toBe(201);
    merchant = body.merchant;
  });

  test('is shown with it, and is paid in it', async () => {
    const paid = await page.pay({ key: merchant.key, currency: 'EUR', value: '100' });
    const { id } = await page.transactionOf(paid);
    const { trail } = await page.shop.move('captures', id, { amount: 10_000 });
    expect(trail[0]).toMatchObject({ balance: 19_020, fee: { flat: 49, rate: 489 } });
    const shown = (await page.shop.payments.get(`/merchants/${merchant.id}`)).body.merchant;
    expect(shown).toMatchObject({ currency: 'BGN', balance: 19_020 });
  });

  test('needs another currency in its payment links', async () => {
    const { key } = merchant;
    expect((await page.open({ key })).data).toEqual({ 'data-error': 'CURRENCY_INVALID' });
    expect((await page.open({ key, currency: 'EUR' })).status).toBe(200);
  });
});
