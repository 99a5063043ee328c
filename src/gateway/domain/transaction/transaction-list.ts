import { checkMaxAge, maxAgeArg } from '../../replica/max-age.ts';
import { badInput } from '../../schema/bad-input.ts';
import { builder } from '../../schema/builder.ts';
import { connectionType, pagingArgs, resolvePage } from '../../schema/connection.ts';
import type { Context } from '../../schema/context.ts';
import { type Connection, type PagingArguments, readWindow } from '../../schema/paging.ts';
import { readableAhead } from '../../schema/read-ahead.ts';
import { semanticNonNull } from '../../schema/semantic-non-null.ts';
import { toPage } from '../../search/search.ts';
import { countField, searchField } from '../../search/search-progress.ts';
import { accessibleMerchants, MAX_MERCHANTS } from '../merchant/accessible-merchants.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import type { TransactionFilter } from './filter/transaction-filter.ts';
import { TransactionFilterInput } from './filter/transaction-filter-input.ts';
import { countTransactions, isFilter, searchTransactions } from './search-transactions.ts';
import { TransactionRef } from './transaction.ts';
import {
  kindIn,
  type TransactionOrder,
  TransactionOrderInput,
  toRecordOrder,
} from './transaction-order.ts';
import type { Transaction } from './transaction-source.ts';

const KIND = 'txn';
const TransactionConnection = connectionType('Transaction', TransactionRef);
searchField(TransactionConnection);

countField(TransactionConnection, 'transactions');

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
          '`true` returns only successful transactions, `false` only declined transactions. Cannot be combined with `filter` or `orderBy`: use `filter.successful` instead.',
      }),
      filter: t.arg({
        type: TransactionFilterInput,
        description: 'Return only transactions that match this filter.',
      }),
      orderBy: t.arg({
        type: TransactionOrderInput,
        description:
          'Sort the list. Only the replica can do that: without one, the error has the code `NO_REPLICA`. Transactions whose `createdAt` or `amount` cannot be read are left out. Default: the order of the payments service, newest first.',
      }),
      maxAgeSeconds: maxAgeArg(t.arg),
    },
    resolve: async (merchant, args, context, info) => {
      const { successful, filter, orderBy } = args;
      checkMaxAge(args.maxAgeSeconds);
      if ((filter != null || orderBy != null) && successful != null) {
        throw badInput('Use `filter: { successful }` instead of `successful`.', 'successful');
      }
      if (orderBy != null) return sortTransactions([merchant.id], args, orderBy, context);
      if (filter != null && isFilter(filter)) {
        const window = readWindow(args, KIND);
        const { maxAgeSeconds } = args;
        const found = await searchTransactions([merchant.id], filter, window, context, {
          maxAgeSeconds,
        });
        return toPage(KIND, window, found, context.search, () =>
          countTransactions([merchant.id], filter, context, {}),
        );
      }
      return readPage(merchant.id, args, context, info);
    },
  }),
);

builder.queryField('transactions', (t) =>
  t.field({
    type: TransactionConnection,
    ...semanticNonNull,
    description:
      'Transactions of all merchants that the calling app has access to, the newest first unless `orderBy` says otherwise. It is answered from the replica: those of merchants without one that is up to date are missing, and `search.leftOut` shows which. The error has the code `NO_REPLICA` without any replica, or if a merchant in `merchantIds` has none.',
    args: {
      ...pagingArgs(t.arg),
      merchantIds: t.arg.idList({
        description: `Only these merchants: up to ${MAX_MERCHANTS} node ids or \`rawId\`s. Default: all.`,
      }),
      filter: t.arg({
        type: TransactionFilterInput,
        description: 'Return only transactions that match this filter.',
      }),
      orderBy: t.arg({
        type: TransactionOrderInput,
        description: 'Sort the list. Default: the newest first.',
      }),
      maxAgeSeconds: maxAgeArg(t.arg),
    },
    resolve: async (_root, { merchantIds, ...args }, context) => {
      checkMaxAge(args.maxAgeSeconds);
      return sortTransactions(
        await accessibleMerchants(merchantIds, context),
        { ...args, mayLeaveOut: merchantIds == null },
        args.orderBy ?? { field: 'CREATED_AT', direction: 'DESC' },
        context,
      );
    },
  }),
);

interface SortedArguments extends PagingArguments {
  readonly filter?: TransactionFilter | null | undefined;
  readonly orderBy?: unknown;
  readonly maxAgeSeconds?: number | null | undefined;
  readonly mayLeaveOut?: boolean;
}

/** A page of the transactions of merchants that the caller has access to. */
async function sortTransactions(
  merchantIds: readonly string[],
  { filter, maxAgeSeconds, orderBy, mayLeaveOut, ...args }: SortedArguments,
  order: TransactionOrder,
  context: Context,
): Promise<Connection<Transaction>> {
  const kind = kindIn(order);
  const window = readWindow(args, kind);
  const found = await searchTransactions(merchantIds, filter ?? {}, window, context, {
    maxAgeSeconds,
    mayLeaveOut,
    order: toRecordOrder(order),
    requiredBy: orderBy == null ? 'transactions' : 'orderBy',
  });
  return toPage(kind, window, found, context.search, () =>
    countTransactions(merchantIds, filter ?? {}, context, { mayLeaveOut }),
  );
}

interface ListArguments extends PagingArguments {
  readonly successful?: boolean | null | undefined;
  readonly filter?: unknown;
  readonly orderBy?: unknown;
  readonly maxAgeSeconds?: number | null | undefined;
}

/** Lists the transactions of a merchant without a filter. */
const readPage = readableAhead(
  MerchantRef.name,
  'transactions',
  (id, args: ListArguments, { transactions, replica, search }, info) => {
    const { successful, maxAgeSeconds } = args;
    return resolvePage(args, info, {
      kind: KIND,
      fetch: (request) => transactions.list(id, request, successful ?? undefined),
      countAll: () =>
        countTransactions(
          [id],
          { successful },
          { transactions, replica, search },
          { maxAgeSeconds },
        ),
    });
  },
  ({ filter, orderBy }) => filter == null && orderBy == null,
);
