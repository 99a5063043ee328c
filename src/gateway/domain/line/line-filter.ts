import { builder } from '../../schema/builder.ts';
import { readId } from '../../schema/node-id.ts';
import type { Condition } from '../../search/condition.ts';
import {
  DateTimeRange,
  isImpossibleRange,
  isInAmounts,
  isInTime,
  isLimited,
  MoneyRange,
} from '../../search/range.ts';
import { readInstant, readInteger, readStringOrNull } from '../../upstream/record.ts';
import { LineKindRef, lineKindOf } from './line.ts';
import type { Line } from './line-source.ts';

/** Input of a filter for lines. */
export const LineFilterInput = builder.inputType('LineFilter', {
  description:
    'Conditions on a balance line. A line must meet all of them. A list matches if any of its values matches; an empty list matches nothing. A filter without conditions has no effect.',
  fields: (t) => ({
    createdAt: t.field({ type: DateTimeRange, description: 'When the line was created.' }),
    kind: t.field({ type: [LineKindRef], description: 'Any of these kinds.' }),
    transactionId: t.id({
      description: 'The transaction that caused the line: a node id or a `rawId`.',
    }),
    balanceChange: t.field({
      type: MoneyRange,
      description: "The change in the balance, in the merchant's funding currency.",
    }),
  }),
});

/** Conditions on a line; all must be met. */
export type LineFilter = typeof LineFilterInput.$inferInput;

/**
 * The conditions of a filter; empty if it has none.
 *
 * @param currency the funding currency of the merchant
 */
export function conditionsOf(filter: LineFilter, currency: string): Condition<Line>[] {
  const { createdAt, kind, transactionId, balanceChange } = filter;
  const conditions: Condition<Line>[] = [];
  if (isLimited(createdAt)) {
    conditions.push((line) => isInTime(readInstant(line, 'created'), createdAt));
  }
  if (kind != null) conditions.push((line) => kind.includes(lineKindOf(line)));
  if (transactionId != null) {
    const id = readId('txn', transactionId, 'filter.transactionId');
    conditions.push((line) => readStringOrNull(line, 'transactionId') === id);
  }
  if (balanceChange != null) {
    conditions.push((line) => {
      const minorUnits = readInteger(line, 'balance');
      return isInAmounts({ minorUnits, currency }, balanceChange);
    });
  }
  return conditions;
}

/** Whether no line of a merchant with this funding currency can meet a filter. */
export function isImpossible(filter: LineFilter, currency: string): boolean {
  const { createdAt, kind, balanceChange } = filter;
  return (
    kind?.length === 0 ||
    isImpossibleRange(createdAt, balanceChange) ||
    (balanceChange != null && balanceChange.currency !== currency)
  );
}
