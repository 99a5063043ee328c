import { type Currency, currencies } from '../../tables/currencies.ts';
import { builder } from './builder.ts';

/** An amount that knows its currency. */
export interface Money {
  readonly minorUnits: number;
  readonly currency: string;
}

/**
 * Exact decimal text without symbol or grouping: 995 of EUR is `9.95`. Null when the
 * currency is not in the published list.
 */
export function toDecimal({ minorUnits, currency }: Money): string | null {
  const exponent = currencies.get(currency)?.exponent;
  if (exponent === undefined) return null;
  const digits = String(Math.abs(minorUnits)).padStart(exponent + 1, '0');
  const whole = digits.slice(0, digits.length - exponent);
  const fraction = digits.slice(digits.length - exponent);
  return `${minorUnits < 0 ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** An amount for people: `9.95 EUR`. */
export function formatMoney(money: Money): string {
  const { minorUnits, currency } = money;
  return `${toDecimal(money) ?? `${minorUnits} minor units of`} ${currency}`;
}

/** An amount of money. */
export const MoneyRef = builder.objectRef<Money>('Money').implement({
  description: 'An exact amount of money. Calculate with `minorUnits`, show `decimal`.',
  fields: (t) => ({
    minorUnits: t.expose('minorUnits', {
      type: 'MinorUnits',
      description: 'In minor units of the currency: 995 for DKK 9.95.',
    }),
    currency: t.expose('currency', { type: 'CurrencyCode', description: 'ISO 4217 code.' }),
    exponent: t.int({
      nullable: true,
      description:
        'Digits after the decimal point; null when the currency is not in the published list.',
      resolve: ({ currency }) => currencies.get(currency)?.exponent ?? null,
    }),
    decimal: t.string({
      nullable: true,
      description:
        'In major units, exact, no symbol, no grouping: `9.95`. Null when `exponent` is.',
      resolve: (money) => toDecimal(money),
    }),
  }),
});

/** An amount of money that a caller gives. */
export const MoneyInput = builder.inputType('MoneyInput', {
  description:
    'An amount and its currency. Both are required, so that no amount is read in a currency nobody meant.',
  fields: (t) => ({
    minorUnits: t.field({
      type: 'MinorUnits',
      required: true,
      description: 'In minor units, greater than zero: 995 for DKK 9.95.',
    }),
    currency: t.field({
      type: 'CurrencyCode',
      required: true,
      description: 'ISO 4217 code; must be the currency that the amount is really in.',
    }),
  }),
});

const CurrencyRef = builder.objectRef<Currency>('Currency').implement({
  description: 'A currency of the list that the payments service publishes.',
  fields: (t) => ({
    code: t.expose('code', { type: 'CurrencyCode', description: 'ISO 4217 letters.' }),
    numeric: t.exposeString('numeric', {
      description: 'ISO 4217 digits, three of them; text, because leading zeros count.',
    }),
    exponent: t.exposeInt('exponent', { description: 'Digits after the decimal point.' }),
    funding: t.exposeBoolean('funding', {
      description: "Whether a merchant's account may be held in it.",
    }),
    deprecated: t.exposeBoolean('deprecated', {
      description: 'Whether it is no longer taken for new payments.',
    }),
  }),
});

builder.queryField('currencies', (t) =>
  t.field({
    type: [CurrencyRef],
    description: 'The published currencies, by code. Nothing is called.',
    args: {
      funding: t.arg.boolean({
        description:
          '`true`: only those that can be a funding currency; `false`: only those that cannot.',
      }),
    },
    resolve: (_root, { funding }) =>
      [...currencies.values()].filter(
        (currency) => typeof funding !== 'boolean' || currency.funding === funding,
      ),
  }),
);
