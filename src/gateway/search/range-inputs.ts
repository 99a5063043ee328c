import { builder } from '../graphql/builder.ts';

/** A range of time in an input. */
export const DateTimeRange = builder.inputType('DateTimeRange', {
  description: 'A range of time. Without a limit, it is open at that end.',
  fields: (t) => ({
    from: t.field({ type: 'DateTime', description: 'The first point in time that is included.' }),
    to: t.field({ type: 'DateTime', description: 'The first point in time that is not included.' }),
  }),
});

/** A range of amounts in an input. */
export const MoneyRange = builder.inputType('MoneyRange', {
  description: 'Amounts of one currency. Without a limit, it is open at that end.',
  fields: (t) => ({
    currency: t.field({
      type: 'CurrencyCode',
      required: true,
      description: 'ISO 4217 currency code. Amounts in other currencies do not match.',
    }),
    min: t.field({ type: 'MinorUnits', description: 'The smallest amount that is included.' }),
    max: t.field({ type: 'MinorUnits', description: 'The largest amount that is included.' }),
  }),
});
