import { checkMaxAge, maxAgeArg } from '../../../replica/max-age.ts';
import { toExactMoney } from '../../../schema/amount.ts';
import { badInput } from '../../../schema/bad-input.ts';
import { builder } from '../../../schema/builder.ts';
import { MoneyRef } from '../../../schema/money.ts';
import type { SearchProgress } from '../../../schema/paging.ts';
import { readCursor } from '../../../schema/paging.ts';
import { daysIn } from '../../../schema/scalars.ts';
import { semanticNonNull } from '../../../schema/semantic-non-null.ts';
import { everythingFrom, progressOf, toCursorOrNull } from '../../../search/search.ts';
import { SearchProgressRef } from '../../../search/search-progress.ts';
import { MerchantRef } from '../../merchant/merchant.ts';
import { TransactionFilterInput } from '../filter/transaction-filter-input.ts';
import { CardSchemeRef } from '../payment-card.ts';
import { addUpTransactions, searchTransactions } from '../search-transactions.ts';
import { TransactionStateRef } from '../transaction-enums.ts';
import type { Transaction } from '../transaction-source.ts';
import { groupingOf, toSummands } from './copied-totals.ts';
import { type Counter, type Group, sumUp, toSummand } from './group.ts';

const KIND = 'txn';

const TotalsDimension = builder.enumType('TotalsDimension', {
  description: 'A dimension that totals can be grouped by, in addition to the currency.',
  values: {
    DAY: { description: 'The day on which a transaction was created, in `timeZone`.' },
    CARD_SCHEME: { description: 'The scheme of the card.' },
    STATE: { description: 'The state of a transaction.' },
  },
});

const GroupRef = builder.objectRef<Group>('TransactionTotalsGroup').implement({
  description:
    'The totals of the transactions with the same currency and the same value of each dimension in `groupBy`.',
  fields: (t) => {
    const sum = (counter: Counter, field: string) =>
      t.field({
        type: MoneyRef,
        nullable: true,
        description: `Sum of \`${field}\`. Null if the sum does not fit in \`MinorUnits\`; \`errors\` then contains an error.`,
        resolve: ({ sums, currency }) => toExactMoney(sums[counter], currency),
      });
    return {
      currency: t.expose('currency', {
        type: 'CurrencyCode',
        description:
          'Currency of all transactions of the group. Amounts in different currencies are never added.',
      }),
      day: t.expose('day', {
        type: 'Date',
        nullable: true,
        description:
          'The day on which the transactions were created, in `timeZone`. Null if `groupBy` does not contain `DAY`.',
      }),
      cardScheme: t.expose('cardScheme', {
        type: CardSchemeRef,
        nullable: true,
        description:
          'Scheme of the cards. Null if `groupBy` does not contain `CARD_SCHEME`, or if the scheme of these cards is not reported.',
      }),
      state: t.expose('state', {
        type: TransactionStateRef,
        nullable: true,
        description: 'State of the transactions. Null if `groupBy` does not contain `STATE`.',
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
    description:
      'Totals of transactions. Unless `search.complete` is true, they cover only some of the transactions.',
    fields: (t) => ({
      groups: t.expose('groups', {
        type: [GroupRef],
        description:
          'The groups, sorted alphabetically by currency, then by day, card scheme and state. Groups without transactions are left out.',
      }),
      search: t.expose('search', {
        type: SearchProgressRef,
        description:
          'What this request examined. If `complete` is false, request the remaining totals with `after: <endCursor>`, and add the totals of all responses.',
      }),
      endCursor: t.exposeString('endCursor', {
        nullable: true,
        description:
          'Cursor to continue the totals. Null if no transaction was examined and `after` is absent.',
      }),
    }),
  });

builder.objectField(MerchantRef, 'transactionTotals', (t) =>
  t.field({
    type: TotalsRef,
    ...semanticNonNull,
    description:
      'Exact totals of the transactions that match a filter. The payments service returns no totals: the gateway adds up its replica or, without one, reads the transactions, with a limited number of calls per request. `search` shows whether it has read all of them. A declined payment counts only in `count` and `amount`.',
    args: {
      filter: t.arg({
        type: TransactionFilterInput,
        description: 'Include only transactions that match this filter.',
      }),
      groupBy: t.arg({
        type: [TotalsDimension],
        required: true,
        defaultValue: [],
        description: 'The dimensions to group by. Totals are always grouped by currency, too.',
      }),
      timeZone: t.arg({
        type: 'TimeZone',
        description:
          'The time zone that determines when a day starts. Required if `groupBy` contains `DAY`.',
      }),
      maxAgeSeconds: maxAgeArg(t.arg),
      after: t.arg.string({
        description:
          'Include only transactions after this cursor. To continue, pass the `endCursor` of the previous response.',
      }),
    },
    resolve: async (merchant, { filter, groupBy, timeZone, after, maxAgeSeconds }, context) => {
      checkMaxAge(maxAgeSeconds);
      const dimensions = new Set(groupBy);
      if (dimensions.has('DAY') && timeZone == null) {
        throw badInput('`groupBy: [DAY]` requires `timeZone`.', 'timeZone');
      }
      const dayOf = daysIn(timeZone ?? 'UTC');
      const start = readCursor(KIND, after, 'after');
      const read = (record: Transaction) => toSummand(record, dimensions, dayOf);
      // Unreadable transactions are skipped.
      const also = [(record: Transaction) => read(record) !== undefined];
      const given = filter ?? {};
      const options = { also, maxAgeSeconds };
      const grouping = groupingOf(dimensions);
      const { totals, found } = (await addUpTransactions(
        merchant.id,
        given,
        grouping,
        start,
        context,
        options,
      )) ?? {
        totals: [],
        found: await searchTransactions(
          [merchant.id],
          given,
          everythingFrom(start),
          context,
          options,
        ),
      };
      const { transactions, search } = context;
      const summands = await Promise.all(
        found.matches.map((record) => transactions.read(record, read)),
      );
      return {
        groups: sumUp([...toSummands(totals, dimensions, dayOf), ...summands]),
        search: progressOf(found, search),
        endCursor: toCursorOrNull(KIND, found.last ?? start),
      };
    },
  }),
);
