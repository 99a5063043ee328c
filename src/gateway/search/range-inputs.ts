import { builder } from '../schema/builder.ts';

/** A range of time in an input. */
export const DateTimeRange = builder.inputType('DateTimeRange', {
  description: 'A range of time. If `from` or `to` is absent, the range has no limit on that side.',
  fields: (t) => ({
    from: t.field({ type: 'DateTime', description: 'Start of the range, included.' }),
    to: t.field({ type: 'DateTime', description: 'End of the range, not included.' }),
  }),
});

/** A range of amounts in an input. */
export const MoneyRange = builder.inputType('MoneyRange', {
  description:
    'A range of amounts in one currency. If `min` or `max` is absent, the range has no limit on that side.',
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
