import { checkMaxAge, maxAgeArg } from '../../replica/max-age.ts';
import { countCopy, searchCopy } from '../../replica/search-copy.ts';
import { builder } from '../../schema/builder.ts';
import { connectionType, pagingArgs, resolvePage } from '../../schema/connection.ts';
import type { Context } from '../../schema/context.ts';
import { type Connection, type PagingArguments, readWindow } from '../../schema/paging.ts';
import { readableAhead } from '../../schema/read-ahead.ts';
import { semanticNonNull } from '../../schema/semantic-non-null.ts';
import { type Condition, judge, readable } from '../../search/condition.ts';
import { NOTHING, toPage } from '../../search/search.ts';
import { countField, searchField } from '../../search/search-progress.ts';
import { walk } from '../../search/walk.ts';
import { readCurrency, readInstant } from '../../upstream/record.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import { LineRef } from './line.ts';
import { lineCopy, narrowingOf } from './line-copy.ts';
import { conditionsOf, isImpossible, type LineFilter, LineFilterInput } from './line-filter.ts';
import type { Line } from './line-source.ts';

const KIND = 'lin';
const LineConnection = connectionType('Line', LineRef);
searchField(LineConnection);
countField(LineConnection, 'lines');

builder.objectField(MerchantRef, 'lines', (t) =>
  t.field({
    type: LineConnection,
    ...semanticNonNull,
    description:
      'Balance lines of the merchant, newest first. With `filter`, a page can have fewer items than requested, or none, although `hasNextPage` is true. To continue, pass `endCursor` to `after`. `search` shows how much of the list was examined.',
    args: {
      ...pagingArgs(t.arg),
      filter: t.arg({
        type: LineFilterInput,
        description: 'Return only lines that match this filter.',
      }),
      maxAgeSeconds: maxAgeArg(t.arg),
    },
    resolve: async (merchant, args, context, info) => {
      checkMaxAge(args.maxAgeSeconds);
      const found = args.filter && (await findLines(merchant, args.filter, args, context));
      return found ?? readPage(merchant.id, args, context, info);
    },
  }),
);

interface FilterArguments extends PagingArguments {
  readonly maxAgeSeconds?: number | null | undefined;
}

interface ListArguments extends PagingArguments {
  readonly filter?: unknown;
}

/** Lists the lines of a merchant without a filter. */
const readPage = readableAhead(
  MerchantRef.name,
  'lines',
  (id, args: ListArguments, { lines, replica, search }, info) =>
    resolvePage(args, info, {
      kind: KIND,
      fetch: (request) => lines.list(id, request),
      countAll: () => countCopy(replica, toCopySearch(id, {}, [], lines), search),
    }),
  ({ filter }) => filter == null,
);

/** The page of matching lines; undefined if the filter has no conditions. */
async function findLines(
  merchant: typeof MerchantRef.$inferType,
  filter: LineFilter,
  { maxAgeSeconds, ...args }: FilterArguments,
  { lines, merchants, replica, search: budget }: Context,
): Promise<Connection<Line> | undefined> {
  const currency = await merchants.read(merchant, (record) => readCurrency(record, 'currency'));
  const conditions = conditionsOf(filter, currency);
  const window = readWindow(args, KIND);
  if (isImpossible(filter, currency)) return toPage(KIND, window, NOTHING, budget);
  if (conditions.length === 0) return undefined;
  const copy = { ...toCopySearch(merchant.id, filter, conditions, lines), maxAgeSeconds };
  const found =
    (await searchCopy(replica, copy, window, budget)) ??
    (await walk(window, { ...lines.paged(merchant.id), ...copy.judged }, budget));
  return toPage(KIND, window, found, budget, () =>
    countCopy(replica, { ...copy, maxAgeSeconds: undefined }, budget),
  );
}

function toCopySearch(
  merchantId: string,
  filter: LineFilter,
  conditions: readonly Condition<Line>[],
  lines: Context['lines'],
) {
  const isMatch = (line: Line) => judge(line, conditions);
  return {
    merchantIds: [merchantId],
    list: lineCopy,
    narrowing: narrowingOf(filter),
    judged: {
      judge: isMatch,
      judgeFull: async (line: Line) => isMatch(await lines.loadFull(line)),
      createdAt: (line: Line) => readable(() => readInstant(line, 'created')),
      created: filter.createdAt ?? {},
    },
    adopt: lines.adopt,
  };
}
