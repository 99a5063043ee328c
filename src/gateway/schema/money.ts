import { type Currency, currencies } from '../../currencies.ts';
import { exponentOf, type Money, toDecimal } from './amount.ts';
import { builder } from './builder.ts';

/** An amount of money. */
export const MoneyRef = builder.objectRef<Money>('Money').implement({
  description: 'An exact amount of money. Calculate with `minorUnits`; display `decimal`.',
  fields: (t) => ({
    minorUnits: t.expose('minorUnits', {
      type: 'MinorUnits',
      description: 'Amount in minor units of the currency: 995 for DKK 9.95.',
    }),
    currency: t.expose('currency', {
      type: 'CurrencyCode',
      description: 'ISO 4217 currency code.',
    }),
    exponent: t.int({
      nullable: true,
      description:
        'Number of digits after the decimal point. Null if the currency is not in `Query.currencies`.',
      resolve: ({ currency }) => exponentOf(currency) ?? null,
    }),
    decimal: t.string({
      nullable: true,
      description:
        'Exact amount in major units, without symbol or grouping: `9.95`. Null if `exponent` is null.',
      resolve: (money) => toDecimal(money),
    }),
  }),
});

/** An amount of money in an input. */
export const MoneyInput = builder.inputType('MoneyInput', {
  description:
    'An amount and its currency. Both are required, so that an amount is never read in the wrong currency.',
  fields: (t) => ({
    minorUnits: t.field({
      type: 'MinorUnits',
      required: true,
      description: 'Amount in minor units of the currency, greater than zero: 995 for DKK 9.95.',
    }),
    currency: t.field({
      type: 'CurrencyCode',
      required: true,
      description: 'ISO 4217 currency code of the amount.',
    }),
  }),
});

const CurrencyRef = builder.objectRef<Currency>('Currency').implement({
  description:
    'A currency: one that the payments service publishes, or another active currency of ISO 4217.',
  fields: (t) => ({
    code: t.expose('code', { type: 'CurrencyCode', description: 'ISO 4217 code: three letters.' }),
    numeric: t.exposeString('numeric', {
      description: 'ISO 4217 number: three digits, as a string to keep leading zeros.',
    }),
    exponent: t.exposeInt('exponent', { description: 'Number of digits after the decimal point.' }),
    funding: t.exposeBoolean('funding', {
      description: 'Whether it can be the funding currency of a merchant.',
    }),
    deprecated: t.exposeBoolean('deprecated', {
      description: 'Whether new payments in this currency are no longer accepted.',
    }),
  }),
});

builder.queryField('currencies', (t) =>
  t.field({
    type: [CurrencyRef],
    description: 'The currencies that the gateway knows, sorted by code.',
    args: {
      funding: t.arg.boolean({
        description:
          '`true` returns only currencies that can be a funding currency, `false` only the others.',
      }),
    },
    resolve: (_root, { funding }) =>
      [...currencies.values()].filter(
        (currency) => typeof funding !== 'boolean' || currency.funding === funding,
      ),
  }),
);
