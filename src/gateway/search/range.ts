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
