import { badInput } from '../graphql/bad-input.ts';
import { builder } from '../graphql/builder.ts';
import { type Money, MoneyInput, toDecimal } from '../graphql/money.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import { readFlag, readText } from '../rest/record.ts';

const PaymentLinkInput = builder.inputType('PaymentLinkInput', {
  description: 'What the page behind a payment link shows and does; everything may be left out.',
  fields: (t) => ({
    amount: t.field({
      type: MoneyInput,
      description: 'What is to be paid. Left out for a point of sale, where the page asks.',
    }),
    currency: t.field({
      type: 'CurrencyCode',
      description:
        "Currency of a point of sale; the merchant's funding currency when left out. With an amount it must be that of the amount.",
    }),
    reference: t.string({ description: 'Shown in the dashboard, such as an order number.' }),
    text: t.string({ description: 'Shown on the page.' }),
    redirect: t.string({
      description: 'Where to go after payment: an https address, or http on this machine.',
    }),
    locale: t.string({ description: 'Language of the page, such as `da` or `de_AT`.' }),
    recurring: t.boolean({
      description: 'Whether the customer consents to later payments with the same card.',
    }),
  }),
});

interface LinkInput {
  readonly amount?: Money | null | undefined;
  readonly currency?: string | null | undefined;
  readonly reference?: string | null | undefined;
  readonly text?: string | null | undefined;
  readonly redirect?: string | null | undefined;
  readonly locale?: string | null | undefined;
  readonly recurring?: boolean | null | undefined;
}

/** Builds the address of the payment page. Specification: payments, "Payment link". */
function toLink(
  posUrl: string,
  merchant: { readonly key: string; readonly test: boolean },
  input: LinkInput,
): string {
  const { amount, reference, text, redirect, locale, recurring } = input;
  const parameters = new URLSearchParams({ key: merchant.key });
  if (merchant.test) parameters.set('test', '1');
  const currency = amount?.currency ?? input.currency;
  if (amount && input.currency && input.currency !== amount.currency) {
    throw badInput('`input.currency` is not that of `input.amount`.', 'input.currency');
  }
  if (currency) parameters.set('currency', currency);
  if (amount) parameters.set('value', toValue(amount));
  if (reference) parameters.set('reference', reference);
  if (text) parameters.set('text', text);
  if (redirect) parameters.set('redirect', checkRedirect(redirect));
  if (locale) parameters.set('locale', locale);
  if (recurring) parameters.set('recurring', 'y');
  return `${posUrl}/?${parameters}`;
}

/** The one place with major units: an amount as the page reads it. */
function toValue(amount: Money): string {
  if (amount.minorUnits <= 0) {
    const argument = 'input.amount.minorUnits';
    throw badInput(`\`${argument}\` must be greater than zero.`, argument);
  }
  const value = toDecimal(amount);
  if (value !== null) return value;
  const argument = 'input.amount.currency';
  throw badInput(`\`${argument}\` ${amount.currency} is not in the published list.`, argument);
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

function checkRedirect(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const fit =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (fit && url.username === '' && url.password === '') return address;
  throw badInput(
    '`input.redirect` takes an https address without user name, or http on this machine.',
    'input.redirect',
  );
}

builder.objectField(MerchantRef, 'paymentLink', (t) =>
  t.string({
    description:
      'Address of a page where a customer pays this merchant. Computed; nothing is called, so a link may be shown before anybody uses it.',
    args: {
      input: t.arg({ type: PaymentLinkInput, description: 'What the page shows and does.' }),
    },
    resolve: (merchant, { input }, { merchants, posUrl }) =>
      merchants.read(merchant, (record) => {
        const { key, test } = { key: readText(record, 'key'), test: readFlag(record, 'test') };
        return toLink(posUrl, { key, test }, input ?? {});
      }),
  }),
);
