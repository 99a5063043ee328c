import { maxAgeArg } from '../../replica/max-age.ts';
import { badInput } from '../../schema/bad-input.ts';
import { builder } from '../../schema/builder.ts';
import { connectionType, pagingArgs, resolvePage } from '../../schema/connection.ts';
import { type PagingArguments, readWindow } from '../../schema/paging.ts';
import { readableAhead } from '../../schema/read-ahead.ts';
import { semanticNonNull } from '../../schema/semantic-non-null.ts';
import { toPage } from '../../search/search.ts';
import { searchField } from '../../search/search-progress.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import { TransactionFilterInput } from './filter/transaction-filter-input.ts';
import { isFilter, searchTransactions } from './search-transactions.ts';
import { TransactionRef } from './transaction.ts';

const KIND = 'txn';
const TransactionConnection = connectionType('Transaction', TransactionRef);
searchField(TransactionConnection);

builder.objectField(MerchantRef, 'transactions', (t) =>
  t.field({
    type: TransactionConnection,
    ...semanticNonNull,
    description:
      'Transactions of the merchant, newest first. To get the transactions that were added since you loaded a page, request `last: 50, before: <startCursor of that page>`. Repeat this with the new `startCursor` while `hasPreviousPage` is true. With `filter`, a page can have fewer items than requested, or none, although `hasNextPage` is true. To continue, pass `endCursor` to `after`. `search` shows how much of the list was examined.',
    args: {
      ...pagingArgs(t.arg),
      successful: t.arg.boolean({
        description:
          '`true` returns only successful transactions, `false` only declined transactions. Cannot be combined with `filter`: use `filter.successful` instead.',
      }),
      filter: t.arg({
        type: TransactionFilterInput,
        description: 'Return only transactions that match this filter.',
      }),
      maxAgeSeconds: maxAgeArg(t.arg),
    },
    resolve: async (merchant, args, context, info) => {
      const { successful, filter } = args;
      if (filter != null && successful != null) {
        throw badInput('Use `filter: { successful }` instead of `successful`.', 'successful');
      }
      if (filter != null && isFilter(filter)) {
        const window = readWindow(args, KIND);
        const found = await searchTransactions(merchant.id, filter, window, context, args);
        return toPage(KIND, window, found, context.search);
      }
      return readPage(merchant.id, args, context, info);
    },
  }),
);

interface ListArguments extends PagingArguments {
  readonly successful?: boolean | null | undefined;
  readonly filter?: unknown;
}

/** Lists the transactions of a merchant without a filter. */
const readPage = readableAhead(
  MerchantRef.name,
  'transactions',
  (id, args: ListArguments, { transactions }, info) =>
    resolvePage(args, info, {
      kind: KIND,
      fetch: (request) => transactions.list(id, request, args.successful ?? undefined),
    }),
  ({ filter }) => filter == null,
);
