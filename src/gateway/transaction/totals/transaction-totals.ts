import { badInput } from '../../graphql/bad-input.ts';
import { builder } from '../../graphql/builder.ts';
import { readCursor } from '../../graphql/cursor.ts';
import { MoneyRef } from '../../graphql/money.ts';
import type { SearchProgress } from '../../graphql/paging.ts';
import { semanticNonNull } from '../../graphql/semantic-non-null.ts';
import { daysIn } from '../../graphql/time-zone.ts';
import { MerchantRef } from '../../merchant/merchant.ts';
import { toExactMoney } from '../../search/exact-sum.ts';
import { everythingFrom, progressOf, toCursorOrNull } from '../../search/search.ts';
import { SearchProgressRef } from '../../search/search-progress.ts';
import { TransactionFilterInput } from '../filter/transaction-filter-input.ts';
import { CardSchemeRef } from '../payment-card.ts';
import { searchTransactions } from '../search-transactions.ts';
import { TransactionStateRef } from '../transaction-enums.ts';
import type { Transaction } from '../transaction-source.ts';
import { type Counter, type Group, sumUp, toSummand } from './group.ts';

const KIND = 'txn';

const TotalsDimension = builder.enumType('TotalsDimension', {
  description: 'What totals can be grouped by, besides the currency.',
  values: {
    DAY: { description: 'The day on which a transaction was created, in `timeZone`.' },
    CARD_SCHEME: { description: 'The scheme of the card.' },
    STATE: { description: 'The state of a transaction.' },
  },
});

const GroupRef = builder.objectRef<Group>('TransactionTotalsGroup').implement({
  description:
    'The totals of the transactions of one currency, and of one value of each dimension.',
  fields: (t) => {
    const sum = (counter: Counter, field: string) =>
      t.field({
        type: MoneyRef,
        nullable: true,
        description: `Sum of \`${field}\`. Null, with an error, if it is too large.`,
        resolve: ({ sums, currency }) => toExactMoney(sums[counter], currency),
      });
    return {
      currency: t.expose('currency', {
        type: 'CurrencyCode',
        description: 'Currency of all transactions of the group. Currencies are never added up.',
      }),
      day: t.expose('day', {
        type: 'Date',
        nullable: true,
        description: 'The day on which they were created. Null unless grouped by `DAY`.',
      }),
      cardScheme: t.expose('cardScheme', {
        type: CardSchemeRef,
        nullable: true,
        description:
          'Scheme of their cards. Null unless grouped by `CARD_SCHEME`, or if it is not reported.',
      }),
      state: t.expose('state', {
        type: TransactionStateRef,
        nullable: true,
        description: 'Their state. Null unless grouped by `STATE`.',
      }),
      count: t.exposeInt('count', { description: 'Number of transactions.' }),
      amount: sum('amount', 'amount'),
      captured: sum('captured', 'capturedAmount'),
      refunded: sum('refunded', 'refundedAmount'),
      voided: sum('voided', 'voidedAmount'),
      pending: sum('pending', 'pendingAmount'),
      disputed: sum('disputed', 'disputedAmount'),
    };
  },
});

const TotalsRef = builder
  .objectRef<{
    groups: readonly Group[];
    search: SearchProgress;
    endCursor: string | null;
  }>('TransactionTotals')
  .implement({
    description: 'Totals of transactions. They are partial unless `search.complete` is true.',
    fields: (t) => ({
      groups: t.expose('groups', {
        type: [GroupRef],
        description:
          'The groups, sorted by currency, day, scheme and state. A group without transactions is left out.',
      }),
      search: t.expose('search', {
        type: SearchProgressRef,
        description:
          'What was examined. Unless `complete` is true, request the totals of the rest with `after: <endCursor>`, and add them up.',
      }),
      endCursor: t.exposeString('endCursor', {
        nullable: true,
        description: 'Cursor of the last transaction examined. Null if there is none.',
      }),
    }),
  });

builder.objectField(MerchantRef, 'transactionTotals', (t) =>
  t.field({
    type: TotalsRef,
    ...semanticNonNull,
    description:
      'Exact totals of the transactions that meet a filter. The service does not add them up, so the API reads the transactions, up to a number of calls for each request. `search` shows whether it has read all of them. Only `amount` of a declined payment counts.',
    args: {
      filter: t.arg({
        type: TransactionFilterInput,
        description: 'Add up only transactions that meet these conditions.',
      }),
      groupBy: t.arg({
        type: [TotalsDimension],
        required: true,
        defaultValue: [],
        description: 'What to group by. Each currency has groups of its own.',
      }),
      timeZone: t.arg({
        type: 'TimeZone',
        description: 'The time zone of the days. Required with `DAY`.',
      }),
      after: t.arg.string({
        description:
          'Add up only transactions after this cursor, the `endCursor` of the last part.',
      }),
    },
    resolve: async (merchant, { filter, groupBy, timeZone, after }, context) => {
      const dimensions = new Set(groupBy);
      if (dimensions.has('DAY') && timeZone == null) {
        throw badInput('`groupBy: [DAY]` requires `timeZone`.', 'timeZone');
      }
      const dayOf = daysIn(timeZone ?? 'UTC');
      const read = (record: Transaction) => toSummand(record, dimensions, dayOf);
      const start = readCursor(KIND, after, 'after');
      // What cannot be added up is skipped.
      const isReadable = (record: Transaction) => read(record) !== undefined;
      const found = await searchTransactions(
        merchant.id,
        filter ?? {},
        everythingFrom(start),
        context,
        [isReadable],
      );
      const { transactions } = context;
      const summands = found.matches.map((record) => transactions.read(record, read));
      return {
        groups: sumUp(await Promise.all(summands)),
        search: progressOf(found, context.search),
        endCursor: toCursorOrNull(KIND, found.last ?? start),
      };
    },
  }),
);
