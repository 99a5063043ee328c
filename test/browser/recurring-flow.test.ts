import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { findChromium, startBrowser } from '../support/browser.ts';
import { newKey } from '../support/new-key.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

const executable = findChromium();
const why = executable === undefined ? ' (skipped: no Chromium was found; set CHROMIUM)' : '';
if (why !== '') console.warn(`The recurring flow in a browser${why}`);

const TEXT = 'Coffee of the month <b>& more</b>';
const WAIT_MS = 10_000;
const PAYS_AGAIN = '4100 0000 0000 0000';
const PAYS_ONCE = '4100 0000 0000 0120';

const CAPTURE = `mutation ($input: CaptureTransactionInput!) { captureTransaction(input: $input) {
  __typename
  ... on CaptureTransactionSuccess { transaction { capturedAmount { decimal currency } pendingAmount { decimal } } }
} }`;

const CHARGE_AGAIN = `mutation ($input: CreateTransactionInput!) { createTransaction(input: $input) {
  __typename
  ... on CreateTransactionSuccess { transaction { id recurring pendingAmount { decimal } } }
  ... on ProcessingFailedError { processingError { code message } }
} }`;

const READ = `query ($id: ID!) { transaction(id: $id) {
  successful recurring amount { decimal currency } card { last4 } custom
} }`;

describe.skipIf(executable === undefined)(`the recurring flow in a browser${why}`, () => {
  let stack: Stack;
  let browser: Browser;
  /** The site of the shop, where customers return after payment. */
  const site = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end('<!doctype html><link rel="icon" href="data:,"><h1>Welcome back</h1>');
  });
  let siteUrl: string;
  let merchant: { readonly id: string; readonly publicKey: string };

  beforeAll(async () => {
    stack = await startStack();
    browser = await startBrowser(executable);
    site.listen(0, '127.0.0.1');
    await once(site, 'listening');
    siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    const { data } = await stack.ask(
      '{ merchants { edges { node { id publicKey fundingCurrency } } } }',
    );
    merchant = data.merchants.edges
      .map(({ node }: { node: typeof merchant }) => node)
      .find(({ fundingCurrency }: { fundingCurrency: string }) => fundingCurrency === 'EUR');
  });

  afterAll(async () => {
    await browser?.close();
    site.closeAllConnections();
    site.close();
    await stack?.close();
  });

  /** A payment link of the demo shop that asks for consent to later payments. */
  function paymentLink(parameters: Readonly<Record<string, string>>): string {
    const query = new URLSearchParams({
      key: merchant.publicKey,
      test: '1',
      currency: 'EUR',
      text: TEXT,
      reference: 'Order 7',
      redirect: `${siteUrl}/thanks?order=7`,
      recurring: 'y',
      ...parameters,
    });
    return `${stack.sandbox.posUrl}/?${query}`;
  }

  /** A new customer, with the origins that their browser requested and the errors that it logged. */
  async function newCustomer(options: { javaScriptEnabled: boolean }) {
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    context.setDefaultTimeout(WAIT_MS);
    const page = await context.newPage();
    const origins = new Set<string>();
    const errors: string[] = [];
    page.on('request', (request) => origins.add(new URL(request.url()).origin));
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    return { page, origins, errors };
  }

  async function fillCard(page: Page, number: string): Promise<void> {
    await page.getByRole('textbox', { name: 'Card number' }).fill(number);
    await page.getByRole('textbox', { name: 'Expiry date' }).fill('08/66');
    await page.getByRole('textbox', { name: 'Security code' }).fill('123');
  }

  /** Clicks "Pay" and returns the transaction id that the shop receives. */
  async function payAndReturn(page: Page): Promise<string> {
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await page.waitForURL(`${siteUrl}/thanks?order=7&transactionId=*`);
    expect(await page.getByRole('heading').textContent()).toBe('Welcome back');
    return new URL(page.url()).searchParams.get('transactionId') ?? '';
  }

  /** Whether a field is marked as invalid, and the texts that a screen reader reads with it. */
  async function described(page: Page, name: string) {
    const field = page.getByRole('textbox', { name });
    const ids = (await field.getAttribute('aria-describedby'))?.split(' ') ?? [];
    const sentences = ids.map((id) => page.locator(`#${id}`).textContent());
    return {
      invalid: (await field.getAttribute('aria-invalid')) === 'true',
      sentences: await Promise.all(sentences),
    };
  }

  async function capture(transactionId: string, minorUnits: number) {
    const input = {
      transactionId,
      amount: { minorUnits, currency: 'EUR' },
      idempotencyKey: newKey(),
    };
    return (await stack.ask(CAPTURE, { input })).data.captureTransaction;
  }

  async function chargeAgain(transactionId: string, minorUnits: number) {
    const input = {
      merchantId: merchant.id,
      source: { transactionId },
      amount: { minorUnits, currency: 'EUR' },
      idempotencyKey: newKey(),
    };
    return (await stack.ask(CHARGE_AGAIN, { input })).data.createTransaction;
  }

  const captured = (decimal: string) => ({
    __typename: 'CaptureTransactionSuccess',
    transaction: {
      capturedAmount: { decimal, currency: 'EUR' },
      pendingAmount: { decimal: '0.00' },
    },
  });

  test.each([
    ['with', true],
    ['without', false],
  ])(
    'a customer %s scripts pays once, and the shop charges the card again until it fails',
    async (_, javaScriptEnabled) => {
      const { page, origins, errors } = await newCustomer({ javaScriptEnabled });

      // The first payment: the customer sees the purpose, the amount and the consent.
      await page.goto(paymentLink({ value: '12.50' }));
      expect(await page.getByRole('heading').textContent()).toBe('Payment to Nordlys Kaffee');
      await page.getByText(TEXT, { exact: true }).waitFor();
      await page.getByText('EUR 12.50', { exact: true }).waitFor();
      await page.getByText('You agree that this card may be used for later payments.').waitFor();
      await fillCard(page, PAYS_ONCE);
      const first = await payAndReturn(page);
      expect((await stack.ask(READ, { id: first })).data.transaction).toEqual({
        successful: true,
        recurring: false,
        amount: { decimal: '12.50', currency: 'EUR' },
        card: { last4: '0120' },
        custom: { reference: 'Order 7' },
      });
      expect(await capture(first, 1250)).toEqual(captured('12.50'));

      // The next payment fails, so the shop asks the customer to pay on the page again.
      expect(await chargeAgain(first, 990)).toEqual({
        __typename: 'ProcessingFailedError',
        processingError: { code: '7', message: 'Insufficient funds' },
      });
      await page.goto(paymentLink({ value: '9.90' }));
      await fillCard(page, PAYS_AGAIN);
      const restart = await payAndReturn(page);
      expect(restart).not.toBe(first);
      expect(await capture(restart, 990)).toEqual(captured('9.90'));

      // From now on the shop charges without the customer.
      const again = await chargeAgain(restart, 990);
      expect(again).toEqual({
        __typename: 'CreateTransactionSuccess',
        transaction: {
          id: expect.any(String),
          recurring: true,
          pendingAmount: { decimal: '9.90' },
        },
      });
      expect(await capture(again.transaction.id, 990)).toEqual(captured('9.90'));

      expect([...origins].sort()).toEqual([stack.sandbox.posUrl, siteUrl].sort());
      expect(errors).toEqual([]);
    },
  );

  test.each([
    ['with', true],
    ['without', false],
  ])(
    'a wrong form is announced %s scripts, field by field, and can be corrected',
    async (_, javaScriptEnabled) => {
      const { page, origins, errors } = await newCustomer({ javaScriptEnabled });
      await page.goto(paymentLink({ value: '12.50' }));
      expect(await page.getByRole('alert').count()).toBe(0);
      await page.getByRole('textbox', { name: 'Expiry date' }).fill('13/66');
      await page.getByRole('button', { name: 'Pay', exact: true }).click();

      const alert = page.getByRole('alert');
      expect(await alert.getByRole('link').allTextContents()).toEqual([
        'Please enter the card number.',
        'The expiry date must be a month and a year, such as 08/30.',
        'Please enter the security code.',
      ]);
      expect(await described(page, 'Card number')).toEqual({
        invalid: true,
        sentences: ['Please enter the card number.'],
      });
      expect(await described(page, 'Expiry date')).toEqual({
        invalid: true,
        sentences: [
          'Month and year, such as 08/30 or 0830',
          'The expiry date must be a month and a year, such as 08/30.',
        ],
      });
      expect(await described(page, 'Security code')).toEqual({
        invalid: true,
        sentences: ['Three digits on the back of the card', 'Please enter the security code.'],
      });
      await alert
        .getByRole('link', { name: 'The expiry date must be a month and a year, such as 08/30.' })
        .click();
      expect(await page.locator('input:focus').getAttribute('name')).toBe('card[expiry]');
      await page.getByText('EUR 12.50', { exact: true }).waitFor();

      // A declined card is announced in the same place. A good card leads back to the shop.
      await fillCard(page, '4200000000000000');
      await page.getByRole('button', { name: 'Pay', exact: true }).click();
      await alert.getByText('Invalid card number.').waitFor();
      expect((await described(page, 'Card number')).invalid).toBe(false);
      await fillCard(page, PAYS_AGAIN);
      expect(await payAndReturn(page)).toMatch(/^[0-9a-f]{24}$/);

      expect([...origins].sort()).toEqual([stack.sandbox.posUrl, siteUrl].sort());
      // Chromium logs both responses with status 400, and nothing else.
      const badRequest = expect.stringContaining('status of 400');
      expect(errors).toEqual([badRequest, badRequest]);
    },
  );

  test('a link without an amount asks the customer for it first', async () => {
    const { page, origins, errors } = await newCustomer({ javaScriptEnabled: false });
    await page.goto(paymentLink({}));
    expect((await described(page, 'Amount (EUR)')).sentences).toEqual([
      'For example EUR\u00a012.50',
    ]);
    await page.getByRole('textbox', { name: 'Amount (EUR)' }).fill('7,5');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('EUR 7.50', { exact: true }).waitFor();
    await fillCard(page, PAYS_AGAIN);
    const { data } = await stack.ask(READ, { id: await payAndReturn(page) });
    expect(data.transaction.amount).toEqual({ decimal: '7.50', currency: 'EUR' });
    expect([...origins].sort()).toEqual([stack.sandbox.posUrl, siteUrl].sort());
    expect(errors).toEqual([]);
  });

  test('the payment page fits a narrow window, even with long texts', async () => {
    const context = await browser.newContext({ viewport: { width: 360, height: 740 } });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(paymentLink({ value: '9999999999.99', text: 'x'.repeat(1000) }));
    await page.getByRole('button', { name: 'Pay', exact: true }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    for (const locale of ['de', 'el', 'fi', 'hu', 'mt']) {
      await page.goto(paymentLink({ value: '9999999999.99', locale }));
      await page.locator('summary').click();
      await page.getByText('4100 0000 0000 0120').waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    }
  });
});
