import { type Money, toDecimal } from '../../schema/amount.ts';
import { badInput } from '../../schema/bad-input.ts';
import { builder } from '../../schema/builder.ts';
import { MoneyInput } from '../../schema/money.ts';
import { readFlag, readString } from '../../upstream/record.ts';
import { MerchantRef } from '../merchant/merchant.ts';

const PaymentLinkInput = builder.inputType('PaymentLinkInput', {
  description: 'Settings of the payment page behind the link. All fields are optional.',
  fields: (t) => ({
    amount: t.field({
      type: MoneyInput,
      description: 'Amount to pay. If it is absent, the payment page asks for the amount.',
    }),
    currency: t.field({
      type: 'CurrencyCode',
      description:
        "Currency of the payment if `amount` is absent. Default: the merchant's funding currency. If `amount` is present, this field must be absent or equal to `amount.currency`.",
    }),
    reference: t.string({
      description: 'Text shown in the dashboard of the payments service, such as an order number.',
    }),
    text: t.string({ description: 'Text shown on the payment page.' }),
    redirect: t.string({
      description:
        'URL to open after the payment. It must start with `https://`; `http://` is allowed for localhost.',
    }),
    locale: t.string({ description: 'Language of the payment page, such as `da` or `de_AT`.' }),
    recurring: t.boolean({
      description:
        'Whether the payment page asks the customer to agree to later payments with the same card. This does not set `Transaction.recurring`.',
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

/** Builds the URL of the payment page. Specification: payments, "Payment link". */
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
    throw badInput(
      `\`input.currency\` must be the currency of \`input.amount\`, ${amount.currency}.`,
      'input.currency',
    );
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

/** The amount in major units, which only the payment page uses. */
function toValue(amount: Money): string {
  if (amount.minorUnits <= 0) {
    const argument = 'input.amount.minorUnits';
    throw badInput(`\`${argument}\` must be greater than zero.`, argument);
  }
  const value = toDecimal(amount);
  if (value !== null) return value;
  const argument = 'input.amount.currency';
  throw badInput(
    `\`${argument}\` must be one of \`Query.currencies\`; it was ${amount.currency}.`,
    argument,
  );
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

function checkRedirect(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isAllowed =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (isAllowed && url.username === '' && url.password === '') return address;
  throw badInput(
    '`input.redirect` must be a URL that starts with https:// and has no user name. http:// is allowed for localhost.',
    'input.redirect',
  );
}

builder.objectField(MerchantRef, 'paymentLink', (t) =>
  t.string({
    description:
      'URL of a page where a customer can pay this merchant. The gateway builds the URL itself.',
    args: {
      input: t.arg({ type: PaymentLinkInput, description: 'Settings of the payment page.' }),
    },
    resolve: (merchant, { input }, { merchants, posUrl }) =>
      merchants.read(merchant, (record) => {
        const { key, test } = { key: readString(record, 'key'), test: readFlag(record, 'test') };
        return toLink(posUrl, { key, test }, input ?? {});
      }),
  }),
);
