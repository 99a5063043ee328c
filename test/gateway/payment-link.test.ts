import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { given } from '../support/given.ts';
import { type Stack, startStack } from '../support/start-stack.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack.close());

async function link(input: object | null, currency = 'EUR') {
  const { id } = await given(stack).merchant(currency);
  stack.calls.length = 0;
  const { data, errors } = await stack.ask(
    `query ($input: PaymentLinkInput) { merchant(id: "${id}") { publicKey paymentLink(input: $input) } }`,
    { input },
  );
  return { merchant: data.merchant, errors };
}

describe('a payment link', () => {
  test('contains all settings, opens the payment page, and is computed without a call', async () => {
    const { merchant } = await link({
      amount: { minorUnits: 1250, currency: 'EUR' },
      reference: 'Order 7 & 8',
      text: 'Zwei Kaffee, bitte',
      redirect: 'https://shop.example/thanks?a=1#b',
      locale: 'de_AT',
      recurring: true,
    });
    expect(stack.calls).toEqual(['GET /merchants/:id']);
    const url = new URL(merchant.paymentLink);
    expect(url.origin).toBe(stack.sandbox.posUrl);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      key: merchant.publicKey,
      test: '1',
      currency: 'EUR',
      value: '12.50',
      reference: 'Order 7 & 8',
      text: 'Zwei Kaffee, bitte',
      redirect: 'https://shop.example/thanks?a=1#b',
      locale: 'de_AT',
      recurring: 'y',
    });
    const page = await fetch(merchant.paymentLink);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('Zwei Kaffee, bitte');
  });

  test('without an amount opens a payment page that asks for it', async () => {
    const { merchant } = await link(null);
    expect(Object.fromEntries(new URL(merchant.paymentLink).searchParams)).toEqual({
      key: merchant.publicKey,
      test: '1',
    });
    const page = await fetch(merchant.paymentLink);
    expect(await page.text()).toContain('name="amount"');
  });

  test.each([
    ['JPY', 1250, '1250'],
    ['KWD', 1250, '1.250'],
    ['EUR', 5, '0.05'],
    ['BYN', 1250, '12.50'],
    ['CLF', 12345, '1.2345'],
  ])('contains an amount in %s in major units', async (currency, minorUnits, value) => {
    const { merchant } = await link({ amount: { minorUnits, currency } });
    expect(new URL(merchant.paymentLink).searchParams.get('value')).toBe(value);
  });

  test.each([
    [{ amount: { minorUnits: 0, currency: 'EUR' } }, 'input.amount.minorUnits'],
    [{ amount: { minorUnits: 1, currency: 'XXX' } }, 'input.amount.currency'],
    [{ amount: { minorUnits: 1, currency: 'EUR' }, currency: 'DKK' }, 'input.currency'],
    [{ redirect: 'http://shop.example' }, 'input.redirect'],
    [{ redirect: 'javascript:alert(1)' }, 'input.redirect'],
    [{ redirect: 'https://me:pw@shop.example' }, 'input.redirect'],
  ])('with %j is invalid input that names the argument', async (input, argument) => {
    const { errors } = await link(input);
    expect(errors?.[0]?.extensions).toEqual({ code: 'BAD_USER_INPUT', argument });
  });

  test('may redirect to localhost over http', async () => {
    const { merchant } = await link({ redirect: 'http://localhost:3000/done' });
    expect(new URL(merchant.paymentLink).searchParams.get('redirect')).toBe(
      'http://localhost:3000/done',
    );
  });
});
