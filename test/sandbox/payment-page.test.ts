import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { preparedStorage } from '../support/storage.ts';
import { inputs, openPaymentPage, type PaymentPage } from './payment-page.ts';
import type { AnyRecord } from './shop.ts';

const link = { value: '12.50' };
/** Looks like the number of a real card, and is not a published test card. */
const REAL_LOOKING = '4111 1111 1111 1111';
/** Half of a number that a test sends. Shorter parts can occur in random ids. */
const halfNumber = /4111 ?1111|4100 ?0000/;

let sandbox: Sandbox;
let page: PaymentPage;
let databaseUrl: string | undefined;
const reported: unknown[] = [];

beforeAll(async () => {
  const storage = await preparedStorage();
  databaseUrl = storage.databaseUrl;
  const report = (...values: unknown[]) => reported.push(...values.map(String), ...values);
  sandbox = await startTestSandbox({ ...storage, log: report, report, onBug: report });
  page = await openPaymentPage(sandbox);
});
afterAll(() => sandbox.close());

async function newest(): Promise<AnyRecord> {
  const path = `/merchants/${page.shop.id}/transactions?limit=1`;
  return (await page.shop.payments.get(path)).body[0];
}

describe('a payment', () => {
  test('is stored with the complete amount pending, and the page contains its id', async () => {
    const paid = await page.pay({ ...link, reference: 'Order 7', recurring: 'y' });
    expect(paid.status).toBe(200);
    expect(paid.data).toEqual({ 'data-transaction-id': expect.stringMatching(/^[0-9a-f]{24}$/) });
    expect(paid.html).toContain(`<code>txn_${paid.data['data-transaction-id']}</code>`);
    expect(paid.html).toContain('<p>You paid EUR\u00a012.50 to Nordlys Kaffee.</p>');
    expect(await page.transactionOf(paid)).toMatchObject({
      merchantId: page.shop.id,
      test: true,
      currency: 'EUR',
      amount: 1250,
      pendingAmount: 1250,
      capturedAmount: 0,
      card: {
        bin: '410000',
        last4: '0000',
        expiry: '2066-08-31T23:59:59.999Z',
        code: { present: true },
        scheme: 'visa',
      },
      tds: 'none',
      custom: { reference: 'Order 7' },
      recurring: false,
      successful: true,
      error: false,
      descriptor: 'NORDLYS KAFFEE',
      trail: [],
    });
  });

  test('has no custom data without a reference, and is made twice if it is sent twice', async () => {
    const [one, two] = [await page.pay(link), await page.pay(link)];
    expect((await page.transactionOf(one)).custom).toBeNull();
    expect(one.data).not.toEqual(two.data);
  });

  test('keeps a reference as it was sent, including markup', async () => {
    const reference = ' <script>"é😀"</script> ';
    const paid = await page.pay({ ...link, reference });
    expect((await page.transactionOf(paid)).custom).toEqual({ reference });
  });

  test.each([
    ['https://shop.example/back', '/back', ''],
    ['https://shop.example', '/', ''],
    [
      'http://127.0.0.1:8080/a?b=%7e%2F+c&empty=&flag&b=2#top?x=1',
      '/a?b=%7e%2F+c&empty=&flag&b=2',
      '#top?x=1',
    ],
    ['https://shop.example/?#', '/', ''],
  ])(
    'redirects to %s with its id, and leaves the rest of the URL unchanged',
    async (redirect, kept, end) => {
      const { status, headers, html } = await page.pay({ ...link, redirect });
      expect([status, html]).toEqual([303, '']);
      const { id } = await newest();
      const location = headers.get('location') ?? '';
      const glue = kept.includes('?') ? '&' : '?';
      expect(location.replace(/#$/, '')).toBe(
        `${new URL(redirect).origin}${kept}${glue}transactionId=${id}${end}`,
      );
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    },
  );

  test('accepts a number with spaces and dashes, and an expiry date with spaces', async () => {
    const paid = await page.pay(link, { number: ' 5100-0000 0000-0000 ', expiry: '01 / 67' });
    expect((await page.transactionOf(paid)).card).toMatchObject({
      bin: '510000',
      scheme: 'mastercard',
      expiry: '2067-01-31T23:59:59.999Z',
    });
  });

  test.each(['08/66', '8/66', '0866', '08/2066', '8/2066', ' 08 / 2066 ', '08 66', '8 /66'])(
    'accepts the expiry date "%s"',
    async (expiry) => {
      const paid = await page.pay(link, { expiry });
      const { card } = await page.transactionOf(paid);
      expect(card.expiry).toBe('2066-08-31T23:59:59.999Z');
    },
  );

  test('can be typed with the numeric keyboard of a phone', async () => {
    const fields = inputs((await page.open(link)).html);
    for (const name of ['card[number]', 'card[expiry]', 'card[code]']) {
      expect(fields[name]).toContain(' inputmode="numeric"');
    }
  });

  test('has the amount of the link, even if the form contains another', async () => {
    const paid = await page.pay(link, { amount: '99' });
    expect((await page.transactionOf(paid)).amount).toBe(1250);
  });

  test.each([
    ['12.5', 'EUR', 1250],
    ['12,50', 'EUR', 1250],
    ['0,01', 'EUR', 1],
    ['12', 'EUR', 1200],
    ['1250', 'JPY', 1250],
    ['1,25', 'KWD', 1250],
    ['9999999999.99', 'EUR', 999_999_999_999],
  ])('of %s %s at a point of sale has %d minor units', async (amount, currency, minor) => {
    const paid = await page.pay({ currency }, { amount });
    expect(await page.transactionOf(paid)).toMatchObject({ amount: minor, currency });
  });
});

describe('a number that is not a published test card', () => {
  test.each([REAL_LOOKING, '4100 0000 0000 0023', '4100 0000 0000 0032', '41', 'x'])(
    '(%s) is rejected before the other fields are read',
    async (number) => {
      const before = await newest();
      const sent = { number, expiry: 'x', code: '', amount: 'x' };
      for (const response of [await page.pay({}, sent), await page.pay(link, { number })]) {
        expect([response.status, response.data]).toEqual([400, { 'data-error': 'CARD_REFUSED' }]);
        expect(response.html).toContain('<details open>');
        expect(response.html).toContain('<div role="alert">');
        expect(response.html).toContain('Only published test cards are accepted here.');
        expect(response.html).not.toContain('aria-invalid=');
      }
      expect(await newest()).toEqual(before);
    },
  );

  test('is in no log, report, page or table, and neither are other numbers and codes', async () => {
    const digits = REAL_LOOKING.replaceAll(' ', '');
    for (const number of [REAL_LOOKING, digits, '4100000000000007', '4100000000000000']) {
      const { html } = await page.pay(link, { number, code: '741', expiry: '07/74' });
      const withoutOffer = html.replace(/<details( open)?>[\s\S]*<\/details>/, '');
      expect(withoutOffer).not.toMatch(halfNumber);
      expect(html).not.toMatch(/\b741\b|07\/74/);
    }
    expect(reported.length).toBeGreaterThan(0);
    expect(JSON.stringify(reported)).not.toMatch(halfNumber);
    expect(JSON.stringify(reported)).not.toMatch(/value=|card|\b741\b|07\/74/);
    expect(JSON.stringify(reported)).not.toContain(page.key);
    if (databaseUrl !== undefined) {
      const kept = await everythingIn(databaseUrl);
      expect(kept).toContain(page.key);
      expect(kept).not.toMatch(halfNumber);
    }
  });
});

/** Every row of every table, as text. */
async function everythingIn(connectionString: string): Promise<string> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows: tables } = await client.query(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
  );
  const contents: string[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query(`SELECT t::text AS row FROM ${name} t`);
    contents.push(...rows.map(({ row }) => row));
  }
  await client.end();
  return contents.join('\n');
}
