import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startTestSandbox } from '../support/start-sandbox.ts';
import { inputs, type Link, openPaymentPage, type PaymentPage } from './payment-page.ts';
import type { AnyRecord } from './shop.ts';

const SCRIPT = '"><script>alert(1)</script>\'';
const ESCAPED = '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;';

let sandbox: Sandbox;
let page: PaymentPage;

beforeAll(async () => {
  sandbox = await startTestSandbox();
  page = await openPaymentPage(sandbox);
});
afterAll(() => sandbox.close());

async function newest(): Promise<AnyRecord> {
  const path = `/merchants/${page.shop.id}/transactions?limit=1`;
  return (await page.shop.payments.get(path)).body[0];
}

describe('the page', () => {
  test.each([
    ['en', 'en', 'Payment to', 'EUR\u00a01,234.50'],
    ['da', 'da', 'Betaling til', '1.234,50\u00a0EUR'],
    ['de_DE', 'de', 'Zahlung an', '1.234,50\u00a0EUR'],
    ['es_MX', 'es', 'Pago a', 'EUR\u00a01,234.50'],
    ['fr_FR', 'fr', 'Paiement à', '1\u202f234,50\u00a0EUR'],
    ['es', 'es', 'Pago a', '1234,50\u00a0EUR'],
    ['sv_SE', 'sv', 'Betalning till', '1\u00a0234,50\u00a0EUR'],
    ['el_CY', 'el', 'Πληρωμή προς', '1.234,50\u00a0EUR'],
    ['no_NO', 'nb', 'Betaling til', '1\u00a0234,50\u00a0EUR'],
    ['nn', 'nb', 'Betaling til', '1\u00a0234,50\u00a0EUR'],
    ['ru_RU', 'en', 'Payment to', 'EUR\u00a01,234.50'],
    ['constructor', 'en', 'Payment to', 'EUR\u00a01,234.50'],
    [SCRIPT, 'en', 'Payment to', 'EUR\u00a01,234.50'],
  ])('for the locale %s is in the language %s', async (locale, language, heading, amount) => {
    const { status, headers, html } = await page.open({ locale, value: '1234.50' });
    expect(status).toBe(200);
    expect(headers.get('content-language')).toBe(language);
    expect(html).toContain(`<html lang="${language}">`);
    expect(html).toContain(`${heading} Nordlys Kaffee`);
    expect(html).toContain(`<p class="amount">${amount}</p>`);
    expect(html).not.toContain('<script');
  });

  test.each([
    ...['bg', 'cs', 'da', 'de', 'el', 'es', 'et', 'fi', 'fr', 'ga', 'hr', 'hu', 'is', 'it', 'lt'],
    ...['lv', 'mt', 'nb', 'nl', 'pl', 'pt', 'ro', 'sk', 'sl', 'sv'],
  ])('speaks %s, from the form to the receipt', async (locale) => {
    // What is for developers is in English, and marked as that.
    const hidden = /<style>[\s\S]*<\/style>|<p lang="en">.*<\/p>|<[^>]+>/g;
    const visible = (html: string) => html.replace(hidden, ' ');
    const words = (html: string) => new Set(visible(html).match(/\p{L}{2,}/gu));
    const link = { value: '1', recurring: 'y' };
    for (const show of [
      (own: Link) => page.open({ ...link, ...own }),
      (own: Link) => page.pay({ ...link, ...own }, { number: '', expiry: '', code: '1' }),
      (own: Link) => page.pay({ ...link, ...own }),
      (own: Link) => page.open({ ...own }),
      (own: Link) => page.open({ ...own, key: null }),
    ]) {
      const { html } = await show({ locale });
      expect(html).toContain(`<html lang="${locale}">`);
      expect(html).not.toMatch(/[{}](?![\s\S]*<\/style>)/); // placeholders are replaced
      const english = words((await show({ locale: 'en' })).html);
      const same = [...words(html)].filter((word) => english.has(word));
      expect(same.length).toBeLessThan(english.size / 2);
    }
  });

  test('shows amounts with the decimals of the currency', async () => {
    expect((await page.open({ value: '1234', currency: 'JPY' })).html).toContain('JPY\u00a01,234<');
    expect((await page.open({ value: '1.5', currency: 'KWD' })).html).toContain('KWD\u00a01.500<');
  });

  test('asks for consent to later payments if the link is recurring', async () => {
    const consent = 'You agree that this card may be used for later payments.';
    expect((await page.open({ value: '1', recurring: 'y' })).html).toContain(consent);
    expect((await page.open({ value: '1' })).html).not.toContain(consent);
    expect((await page.open({ value: '1', recurring: 'no' })).html).not.toContain(consent);
  });

  test('has a label and an autocomplete type for every field', async () => {
    const { html } = await page.open({ value: '1' });
    const fields = inputs(html);
    for (const [name, id, autocomplete] of [
      ['card[number]', 'number', 'cc-number'],
      ['card[expiry]', 'expiry', 'cc-exp'],
      ['card[code]', 'code', 'cc-csc'],
    ] as const) {
      expect(html).toMatch(new RegExp(`<label for="${id}">[^<]+</label>`));
      expect(fields[name]).toContain(` id="${id}"`);
      expect(fields[name]).toContain(` autocomplete="${autocomplete}"`);
      expect(fields[name]).not.toContain('aria-invalid');
    }
    expect(fields['card[code]']).toContain(' aria-describedby="code-hint"');
    expect(html).toMatch(/<p class="hint" id="code-hint">[^<]+</);
  });

  test('offers test cards without a script, each of which does what is said', async () => {
    const { html } = await page.open({ value: '5' });
    const [details = ''] = /<details>[\s\S]*<\/details>/.exec(html) ?? [];
    expect(details).toContain('<summary>Test cards</summary>');
    const cards = [...details.matchAll(/<li><code>([\d ]+)<\/code> ([^<]+)<\/li>/g)];
    expect(cards.map(([, number, effect]) => [number, effect])).toEqual([
      ['4100 0000 0000 0000', 'The payment succeeds.'],
      ['5100 0000 0000 0000', 'The payment succeeds.'],
      ['4100 0000 0000 0007', 'The payment is declined: insufficient funds.'],
      ['4100 0000 0000 0120', 'The payment succeeds. Later payments with this card are declined.'],
      [
        '4100 0000 0000 0100',
        'The payment succeeds. After the capture, the cardholder disputes it.',
      ],
      ['4100 0000 0000 0110', 'The payment succeeds. After the capture, it is reported as fraud.'],
    ]);
    for (const [, number = '', effect = ''] of cards) {
      const { status } = await page.pay({ value: '5' }, { number });
      expect([number, status]).toEqual([number, effect.includes('succeeds') ? 200 : 400]);
    }
    // The screen that asks for the amount and the receipt do not need them.
    expect((await page.open()).html).not.toContain('<details>');
    expect((await page.pay({ value: '5' })).html).not.toContain('<details>');
  });

  test('escapes the parameters of the link', async () => {
    const redirect = `https://shop.example/?a=${SCRIPT}`;
    const link = { text: SCRIPT, reference: SCRIPT, redirect, [SCRIPT]: SCRIPT };
    const asking = (await page.open(link)).html;
    const paying = (await page.open({ ...link, value: '1' })).html;
    const again = (await page.open({ ...link, amount: SCRIPT })).html;
    for (const html of [asking, paying, again]) {
      expect(html).not.toContain('<script');
      expect(html).toContain(`<p>${ESCAPED}</p>`);
    }
    const hidden = `<input type="hidden" name="${ESCAPED}" value="${ESCAPED}">`;
    expect(asking).toContain(hidden);
    expect(again).toContain(` value="${ESCAPED}"`);
  });

  test.each([
    ['asks for the amount', {}, "form-action 'self'"],
    ['asks for a card', { value: '1' }, "form-action 'self'"],
    [
      'leads back to a shop',
      { value: '1', redirect: 'https://shop.example:8443/back?a=1' },
      "form-action 'self' https://shop.example:8443",
    ],
    ['rejects a link', { value: '0' }, "form-action 'self'"],
  ] satisfies [string, Link, string][])(
    'that %s allows no scripts, and forms only to allowed origins',
    async (_, link, forms) => {
      const { headers, html } = await page.open(link);
      const policy = (headers.get('content-security-policy') ?? '').split('; ');
      expect(policy).toEqual([
        "default-src 'none'",
        expect.stringMatching(/^style-src 'sha256-[\w+/=]{44}'$/),
        forms,
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ]);
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f]{32}$/);
      expect(headers.get('set-cookie')).toBeNull();
      expect(html).not.toMatch(/<script|\son\w+=|\sstyle=|\ssrc=|<link|url\(|@import/i);
    },
  );
});

describe('a form', () => {
  test.each([
    ['no number', { number: null }, 'number', 17, 'Please enter the card number.'],
    ['an empty number', { number: ' ' }, 'number', 17, 'Please enter the card number.'],
    ['no expiry date', { expiry: null }, 'expiry', 18, 'Please enter the expiry date.'],
    [
      'a month of 13',
      { expiry: '13/66' },
      'expiry',
      5,
      'The expiry date must be a month and a year, such as 08/30.',
    ],
    [
      'a month of 00',
      { expiry: '00/66' },
      'expiry',
      5,
      'The expiry date must be a month and a year, such as 08/30.',
    ],
    [
      'a month of 14 without a slash',
      { expiry: '1466' },
      'expiry',
      5,
      'The expiry date must be a month and a year, such as 08/30.',
    ],
    [
      'a month of one digit without a slash',
      { expiry: '866' },
      'expiry',
      5,
      'The expiry date must be a month and a year, such as 08/30.',
    ],
    [
      'a year of three digits',
      { expiry: '08/066' },
      'expiry',
      5,
      'The expiry date must be a month and a year, such as 08/30.',
    ],
    [
      'a year of another century',
      { expiry: '08/1966' },
      'expiry',
      5,
      'The expiry date must be a month and a year, such as 08/30.',
    ],
    [
      'an expiry date with a dash',
      { expiry: '08-66' },
      'expiry',
      5,
      'The expiry date must be a month and a year, such as 08/30.',
    ],
    [
      'a month alone',
      { expiry: '08/' },
      'expiry',
      5,
      'The expiry date must be a month and a year, such as 08/30.',
    ],
    ['no code', { code: null }, 'code', 20, 'Please enter the security code.'],
    [
      'a code of two digits',
      { code: '12' },
      'code',
      4,
      'The security code must have three digits.',
    ],
    [
      'a code of four digits',
      { code: '1234' },
      'code',
      4,
      'The security code must have three digits.',
    ],
    ['a code of letters', { code: 'abc' }, 'code', 4, 'The security code must have three digits.'],
    ['no amount', { amount: null }, 'amount', 15, 'Please enter the amount.'],
    ['an amount of zero', { amount: '0,00' }, 'amount', 14, 'The amount is not valid.'],
    ['three decimals of EUR', { amount: '1.005' }, 'amount', 14, 'The amount is not valid.'],
    ['a grouped amount', { amount: '1.000,00' }, 'amount', 14, 'The amount is not valid.'],
  ])(
    'with %s is shown again with the error, and makes no payment',
    async (_, sent, field, code, message) => {
      const before = await newest();
      const { status, data, html } = await page.pay({}, { amount: '5', ...sent });
      expect([status, data]).toEqual([400, { 'data-error': 'FORM_INVALID' }]);
      expect(html).toContain(`<li><a href="#${field}">${message}</a></li>`);
      expect(html).toContain(
        `<p class="error" id="${field}-error" data-error-code="${code}">${message}</p>`,
      );
      const marked = html.match(/<input[^>]*aria-invalid="true"[^>]*>/g);
      expect(marked).toEqual([expect.stringContaining(`<input id="${field}"`)]);
      expect(marked?.[0]).toMatch(new RegExp(`aria-describedby="[^"]*\\b${field}-error"`));
      expect(await newest()).toEqual(before);
    },
  );

  test('shows every error, in the language of the link', async () => {
    const sent = { number: '', expiry: '', code: 'x', amount: '' };
    const { html } = await page.pay({ locale: 'sv' }, sent);
    const alert = html.slice(html.indexOf('<div role="alert">'), html.indexOf('</div>'));
    expect(alert.match(/(?<=">)[^<]+(?=<\/a>)/g)).toEqual([
      'Fyll i kortnumret.',
      'Fyll i giltighetsdatumet.',
      'Säkerhetskoden ska ha tre siffror.',
      'Fyll i beloppet.',
    ]);
  });

  test('with errors does not redirect, and does not show the number and the code again', async () => {
    const redirect = 'https://shop.example/';
    const sent = { number: '4100000000000000', code: '987', expiry: '99/99' };
    const { status, headers, html } = await page.pay({ value: '12.50', redirect }, sent);
    expect([status, headers.get('location')]).toEqual([400, null]);
    expect(html).not.toMatch(/4100000000000000|\b987\b|99\/99/);
  });
});
