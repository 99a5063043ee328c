import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { inputs, type Link, openPaymentPage, type PaymentPage } from './payment-page.ts';
import { newApp, smallestMerchant } from './shop.ts';

let sandbox: Sandbox;
let page: PaymentPage;
let liveKey: string;

beforeAll(async () => {
  sandbox = await startTestSandbox();
  page = await openPaymentPage(sandbox);
  const owner = await newApp(sandbox);
  liveKey = (await owner.post('/merchants', smallestMerchant)).body.merchant.key;
});
afterAll(() => sandbox.close());

describe('a link', () => {
  test('with a value shows the card form, the amount, the shop and the text', async () => {
    const { status, headers, html, data } = await page.open({ value: '12.50', text: 'Two mugs' });
    expect([status, data]).toEqual([200, {}]);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    for (const shown of ['Nordlys Kaffee', 'Two mugs', 'EUR\u00a012.50', 'Test mode']) {
      expect(html).toContain(shown);
    }
    expect(Object.keys(inputs(html))).toEqual(['card[number]', 'card[expiry]', 'card[code]']);
    expect(html).toContain('<form method="post"');
  });

  test('without a value first asks for the amount, then shows the card form', async () => {
    const link = { text: 'Tips', locale: 'da', currency: 'DKK', redirect: 'https://shop.example/' };
    const { status, html, data } = await page.open(link);
    expect([status, data]).toEqual([200, {}]);
    const asked = inputs(html);
    expect(Object.keys(asked)).toEqual(['key', 'test', ...Object.keys(link), 'amount']);
    for (const [name, value] of Object.entries(link)) {
      expect(asked[name]).toBe(`<input type="hidden" name="${name}" value="${value}">`);
    }
    expect(html).toContain('<form method="get"');
    const form = await page.open({ ...link, amount: '12,5' });
    expect(form.status).toBe(200);
    expect(form.html).toContain('12,50\u00a0DKK');
    expect(inputs(form.html).amount).toContain('type="hidden" name="amount" value="12,5"');
  });

  test.each([
    ['empty', '', 15, 'Please enter the amount.'],
    ['a word', 'much', 14, 'The amount is not valid.'],
    ['zero', '0', 14, 'The amount is not valid.'],
  ])('asks again if the amount is %s', async (_, amount, code, message) => {
    const { status, html, data } = await page.open({ amount });
    expect([status, data]).toEqual([400, { 'data-error': 'FORM_INVALID' }]);
    expect(html).toMatch(/<div role="alert">/);
    expect(html).toContain(
      `<p class="error" id="amount-error" data-error-code="${code}">${message}</p>`,
    );
    expect(inputs(html).amount).toContain('aria-describedby="amount-hint amount-error"');
    expect(inputs(html).amount).toContain('aria-invalid="true"');
  });

  test.each([
    ['no key', { key: null }, 'KEY_MISSING'],
    ['an empty key', { key: '' }, 'KEY_MISSING'],
    ['an unknown key', { key: '00000000-0000-4000-8000-000000000000' }, 'KEY_UNKNOWN'],
    ['no test on a test merchant', { test: null }, 'TEST_MODE_MIXED'],
    ['test=no on a test merchant', { test: 'no' }, 'TEST_MODE_MIXED'],
    ['a test that is not a Boolean', { test: '2' }, 'PARAMETER_INVALID'],
    ['an unknown currency', { currency: 'XXX' }, 'CURRENCY_INVALID'],
    ['a currency in lower case', { currency: 'eur' }, 'CURRENCY_INVALID'],
    ['a deprecated currency', { currency: 'HRK' }, 'CURRENCY_INVALID'],
    ['a value of zero', { value: '0.00' }, 'VALUE_INVALID'],
    ['an empty value', { value: '' }, 'VALUE_INVALID'],
    ['a value with a comma', { value: '12,50' }, 'VALUE_INVALID'],
    ['a negative value', { value: '-1' }, 'VALUE_INVALID'],
    ['a value with an exponent', { value: '1e3' }, 'VALUE_INVALID'],
    ['more decimals than the currency has', { value: '1.5', currency: 'JPY' }, 'VALUE_INVALID'],
    ['more than twelve digits', { value: '10000000000.00' }, 'VALUE_INVALID'],
    ['a redirect that is not a URL', { redirect: 'shop.example' }, 'REDIRECT_INVALID'],
    ['a redirect to a script', { redirect: 'javascript:alert(1)' }, 'REDIRECT_INVALID'],
    ['a redirect with a user name', { redirect: 'https://a:b@c.example' }, 'REDIRECT_INVALID'],
    ['a redirect to a wildcard host', { redirect: 'https://*' }, 'REDIRECT_INVALID'],
    [
      'a redirect that would change the security policy',
      { redirect: 'https://a;script-src' },
      'REDIRECT_INVALID',
    ],
    [
      'a redirect of 2001 characters',
      { redirect: `https://c.example/${'a'.repeat(1983)}` },
      'REDIRECT_INVALID',
    ],
    ['a text of 1001 characters', { text: 'é'.repeat(1001) }, 'PARAMETER_INVALID'],
    ['a reference of 1001 characters', { reference: 'é'.repeat(1001) }, 'PARAMETER_INVALID'],
    ['a recurring that is not a Boolean', { recurring: 'perhaps' }, 'PARAMETER_INVALID'],
  ] satisfies [string, Link, string][])('with %s is rejected', async (_, link, code) => {
    for (const response of [await page.open(link), await page.pay(link)]) {
      expect([response.status, response.data]).toEqual([400, { 'data-error': code }]);
      expect(response.html).toContain('This payment link is not valid');
      expect(response.html).toContain('Please ask the shop for a new link.');
      expect(response.html).toMatch(
        new RegExp(`<p lang="en">[A-Z][^<]+\\. <code>${code}</code></p>`),
      );
      expect(response.html).not.toContain('<form');
    }
  });

  test.each([
    'key',
    'test',
    'currency',
    'value',
    'reference',
    'text',
    'redirect',
    'locale',
    'recurring',
  ])('with a repeated %s is rejected', async (name) => {
    const link = `key=${page.key}&test=1&${name}=1&${name}=1`;
    const response = await fetch(`${sandbox.posUrl}/?${link}`);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('<main data-error="PARAMETER_INVALID">');
  });

  test('of a live merchant shows no form', async () => {
    const live = { key: liveKey, test: null, value: '1' };
    for (const [response, status] of [
      [await page.open(live), 200],
      [await page.pay(live), 400],
    ] as const) {
      expect([response.status, response.data]).toEqual([status, { 'data-error': 'LIVE_MERCHANT' }]);
      expect(response.html).toContain('This service does not accept real cards');
      expect(response.html).not.toContain('<form');
    }
    expect((await page.open({ ...live, test: '1' })).data).toEqual({
      'data-error': 'TEST_MODE_MIXED',
    });
  });

  test('can have values of the maximum length, and unknown parameters', async () => {
    const text = '😀'.repeat(600);
    const { status, html } = await page.open({ value: '9999999999.99', text, unknown: 'x' });
    expect(status).toBe(200);
    expect(html).toContain(text);
    expect(html).toContain('9,999,999,999.99');
    const redirect = `https://c.example/${'a'.repeat(1982)}`;
    expect((await page.open({ value: '1', redirect })).status).toBe(200);
  });
});
