import { builder } from '../../graphql/builder.ts';
import { MoneyOperationStatus } from '../../money-operation/money-operation.ts';
import type { OperationState } from '../../operation/operation.ts';
import { DateTimeRange } from '../../search/range-inputs.ts';

/** Which operations to list. */
export const MoneyOperationFilterInput = builder.inputType('MoneyOperationFilter', {
  description:
    'Conditions on a money operation. An operation must meet all of them. A list of values is met by any of its values; an empty list is met by nothing. Without conditions, the filter has no effect.',
  fields: (t) => ({
    createdAt: t.field({
      type: DateTimeRange,
      description: 'When the gateway recorded the operation.',
    }),
    status: t.field({
      type: [MoneyOperationStatus],
      description: 'Any of these. To find all open operations, use `[IN_PROGRESS, UNKNOWN]`.',
    }),
  }),
});

/** Conditions that an operation must meet, all of them. */
export type MoneyOperationFilter = typeof MoneyOperationFilterInput.$inferInput;

/** The states behind each status. Released operations have none: nobody is told of them. */
const states: Record<typeof MoneyOperationStatus.$inferType, readonly OperationState[]> = {
  SUCCEEDED: ['SUCCEEDED'],
  REJECTED: ['REJECTED'],
  IN_PROGRESS: ['PREPARED', 'SENDING'],
  UNKNOWN: ['UNKNOWN'],
  NOT_APPLIED: ['NOT_APPLIED'],
};

/** The states of all operations that a caller may be told of. */
export const allStates = Object.values(states).flat();

/** What a filter demands of the stored operations. */
export function toConditions({ createdAt, status }: MoneyOperationFilter) {
  return {
    states: status == null ? allStates : status.flatMap((one) => states[one]),
    from: createdAt?.from ?? undefined,
    to: createdAt?.to ?? undefined,
  };
}
