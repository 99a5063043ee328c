import { builder } from '../schema/builder.ts';

/** A range of time: from inclusive, to exclusive. */
export interface TimeRange {
  readonly from?: Date | null | undefined;
  readonly to?: Date | null | undefined;
}

/** Amounts of one currency in minor units, both ends included. */
export interface AmountRange {
  readonly currency: string;
  readonly min?: number | null | undefined;
  readonly max?: number | null | undefined;
}

/** Whether a point in time is in a range. */
export function isInTime(instant: Date, { from, to }: TimeRange): boolean {
  const time = instant.getTime();
  return (from == null || time >= from.getTime()) && (to == null || time < to.getTime());
}

/** Whether an amount is in a range. */
export function isInAmounts(
  { minorUnits, currency }: { readonly minorUnits: number; readonly currency: string },
  { currency: asked, min, max }: AmountRange,
): boolean {
  return (
    currency === asked && (min == null || minorUnits >= min) && (max == null || minorUnits <= max)
  );
}

/** Whether one of the ranges is empty. */
export function isImpossibleRange(
  time: TimeRange | null | undefined,
  amounts: AmountRange | null | undefined,
): boolean {
  const { from, to } = time ?? {};
  const { min, max } = amounts ?? {};
  return (from != null && to != null && from >= to) || (min != null && max != null && min > max);
}

/** Whether a range has a limit. Without one, it is not a condition. */
export function isLimited(range: TimeRange | null | undefined): range is TimeRange {
  return range != null && (range.from != null || range.to != null);
}

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
