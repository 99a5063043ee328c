import { builder } from '../../../schema/builder.ts';
import { DateTimeRange, MoneyRange } from '../../../search/range.ts';
import { CardSchemeRef } from '../payment-card.ts';
import { TransactionActionRef, TransactionStateRef } from '../transaction-enums.ts';

const CardFilter = builder.inputType('CardFilter', {
  description: 'Conditions on the card of a transaction. All of them must hold.',
  fields: (t) => ({
    last4: t.string({ description: 'The last four digits of the card number.' }),
    bin: t.string({ description: 'The first six digits of the card number.' }),
    scheme: t.field({ type: [CardSchemeRef], description: 'Any of these schemes.' }),
  }),
});

const CustomFilter = builder.inputType('CustomFilter', {
  description: 'A condition on `Transaction.custom`.',
  fields: (t) => ({
    path: t.stringList({
      required: true,
      description:
        'Path to a value in `Transaction.custom`: object keys and list indexes, outermost first. An empty path selects all of `custom`.',
    }),
    equals: t.field({
      type: 'JSON',
      required: true,
      description:
        'The value at `path` must equal this value. Objects are equal if they have the same keys with equal values, in any order.',
    }),
  }),
});

/** Input of a filter for transactions. */
export const TransactionFilterInput = builder.inputType('TransactionFilter', {
  description:
    'Conditions on a transaction. A transaction must meet all of them. A list matches if any of its values matches; an empty list matches nothing. A filter without conditions has no effect.',
  fields: (t) => ({
    text: t.string({
      description:
        'Text from a search box. Matches the last four digits of the card, as `4242` or `•••• 4242`, an amount such as `12.34`, `€12.34` or `1,234.00 EUR`, the node id or `rawId` of the transaction, part of `statementDescriptor`, or part of any string in `custom`. Case-insensitive.',
    }),
    createdAt: t.field({ type: DateTimeRange, description: 'When the transaction was created.' }),
    amount: t.field({ type: MoneyRange, description: 'The requested amount.' }),
    currency: t.field({ type: ['CurrencyCode'], description: 'Any of these currencies.' }),
    state: t.field({ type: [TransactionStateRef], description: 'Any of these states.' }),
    availableAction: t.field({
      type: [TransactionActionRef],
      description: 'Any of these actions is still possible.',
    }),
    disputed: t.boolean({ description: 'Whether the transaction is or was disputed.' }),
    successful: t.boolean({ description: 'Whether the amount was reserved.' }),
    recurring: t.boolean({
      description: 'Whether the transaction was created without the customer present.',
    }),
    card: t.field({ type: CardFilter, description: 'The card that was used.' }),
    statementDescriptor: t.string({
      description: 'Part of `statementDescriptor`. Case-insensitive.',
    }),
    custom: t.field({
      type: [CustomFilter],
      description:
        'Conditions on `Transaction.custom`. A transaction must meet all of them. An empty list has no effect.',
    }),
  }),
});
