import { builder } from '../../graphql/builder.ts';
import { DateTimeRange, MoneyRange } from '../../search/range-inputs.ts';
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
        'Where the value is: keys of objects and indexes of lists, from the outside in. Empty for the complete value.',
    }),
    equals: t.field({
      type: 'JSON',
      required: true,
      description:
        'The value that must be there. Objects are equal if they have the same keys with equal values.',
    }),
  }),
});

/** What to look for among the transactions of a merchant. */
export const TransactionFilterInput = builder.inputType('TransactionFilter', {
  description:
    'Conditions on a transaction. All of them must hold. A list holds for any of its values, and an empty list for none. Without a condition, there is no filter.',
  fields: (t) => ({
    text: t.string({
      description:
        'What a person types into a search box: the last four digits of a card, an amount such as `12.34` or `1,234.00 EUR`, the id of a transaction, or a part of the descriptor or of a text in `custom`, in upper or lower case.',
    }),
    createdAt: t.field({ type: DateTimeRange, description: 'When the transaction was created.' }),
    amount: t.field({ type: MoneyRange, description: 'The amount that was requested.' }),
    currency: t.field({ type: ['CurrencyCode'], description: 'Any of these currencies.' }),
    state: t.field({ type: [TransactionStateRef], description: 'Any of these states.' }),
    availableAction: t.field({
      type: [TransactionActionRef],
      description: 'Any of these actions is still possible.',
    }),
    disputed: t.boolean({ description: 'Whether there is, or was, a dispute about it.' }),
    successful: t.boolean({ description: 'Whether the amount was reserved.' }),
    recurring: t.boolean({
      description: 'Whether it was created without the customer present.',
    }),
    card: t.field({ type: CardFilter, description: 'The card that was charged.' }),
    statementDescriptor: t.string({
      description: "Part of the text on the customer's bank statement, in upper or lower case.",
    }),
    custom: t.field({
      type: [CustomFilter],
      description: 'Values in the data that the merchant attached. All of them must hold.',
    }),
  }),
});
