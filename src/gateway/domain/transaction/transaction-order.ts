import type { RecordOrder } from '../../replica/copied-list.ts';
import { builder } from '../../schema/builder.ts';

const TransactionOrderField = builder.enumType('TransactionOrderField', {
  description: 'What transactions are sorted by.',
  values: {
    CREATED_AT: { description: 'When the transaction was created.' },
    AMOUNT: { description: 'The requested amount, in minor units, whatever its currency.' },
  },
});

const SortDirection = builder.enumType('SortDirection', {
  description: 'The direction of an order.',
  values: {
    ASC: { description: 'The smallest or oldest first.' },
    DESC: { description: 'The largest or newest first.' },
  },
});

/** Input of an order of transactions. */
export const TransactionOrderInput = builder.inputType('TransactionOrder', {
  description: 'An order of transactions.',
  fields: (t) => ({
    field: t.field({
      type: TransactionOrderField,
      required: true,
      description: 'What to sort by.',
    }),
    direction: t.field({
      type: SortDirection,
      required: true,
      defaultValue: 'DESC',
      description: 'The direction. Default: the largest or newest first.',
    }),
  }),
});

/** An order of transactions. */
export type TransactionOrder = typeof TransactionOrderInput.$inferInput;

const COLUMNS = { CREATED_AT: 'created', AMOUNT: 'amount' } as const;

/** An order in the terms of the replica. */
export function toRecordOrder({ field, direction }: TransactionOrder): RecordOrder {
  return { by: COLUMNS[field], isDescending: direction === 'DESC' };
}

/** The kind of the cursors of a list in this order. */
export function kindIn({ field, direction }: TransactionOrder): string {
  return `txn.${field}_${direction}`;
}
