import { checkMaxAge, maxAgeArg } from '../../replica/max-age.ts';
import type { Copy } from '../../replica/replica.ts';
import { countCopy, searchCopy } from '../../replica/search-copy.ts';
import { builder } from '../../schema/builder.ts';
import { connectionType, pagingArgs, resolvePage } from '../../schema/connection.ts';
import type { Context } from '../../schema/context.ts';
import { readId } from '../../schema/node-id.ts';
import { type Connection, type PagingArguments, readWindow } from '../../schema/paging.ts';
import type { SelectionInfo } from '../../schema/selection.ts';
import { semanticNonNull } from '../../schema/semantic-non-null.ts';
import { type Condition, judge, readable, type Verdict } from '../../search/condition.ts';
import { NOTHING, toPage } from '../../search/search.ts';
import { countField, searchField } from '../../search/search-progress.ts';
import { walk } from '../../search/walk.ts';
import { readInstant, readString, readStringOrNull } from '../../upstream/record.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import { TransactionRef } from '../transaction/transaction.ts';
import { DisputeRef } from './dispute.ts';
import { disputeCopy } from './dispute-copy.ts';
import {
  conditionsOf,
  type DisputeFilter,
  DisputeFilterInput,
  type DisputeStatus,
  isImpossible,
  readStatus,
  statusIn,
} from './dispute-filter.ts';
import type { Dispute } from './dispute-source.ts';

type Transaction = typeof TransactionRef.$inferType;

const KIND = 'dsp';
const DisputeConnection = connectionType('Dispute', DisputeRef);
searchField(DisputeConnection);
countField(DisputeConnection, 'disputes');

builder.objectField(MerchantRef, 'disputes', (t) =>
  t.field({
    type: DisputeConnection,
    ...semanticNonNull,
    description:
      'Disputes about payments to the merchant, newest first. With `filter`, a page can have fewer items than requested, or none, although `hasNextPage` is true. To continue, pass `endCursor` to `after`. `search` shows how much of the list was examined.',
    args: {
      ...pagingArgs(t.arg),
      transactionId: t.arg.id({
        description: 'Return only disputes about this transaction: a node id or a `rawId`.',
      }),
      filter: t.arg({
        type: DisputeFilterInput,
        description: 'Return only disputes that match this filter.',
      }),
      maxAgeSeconds: maxAgeArg(t.arg),
    },
    resolve: async (merchant, { transactionId, filter, ...args }, context, info) => {
      checkMaxAge(args.maxAgeSeconds);
      const id = transactionId ? readId('txn', transactionId, 'transactionId') : undefined;
      const found = filter && (await findDisputes(merchant.id, id, filter, args, context));
      return found ?? readPage(merchant.id, id, args, context, info);
    },
  }),
);

interface FilterArguments extends PagingArguments {
  readonly maxAgeSeconds?: number | null | undefined;
}

/** The page of matching disputes; undefined if the filter has no conditions. */
async function findDisputes(
  merchantId: string,
  givenId: string | undefined,
  filter: DisputeFilter,
  { maxAgeSeconds, ...args }: FilterArguments,
  context: Context,
): Promise<Connection<Dispute> | undefined> {
  const { disputes, replica, search: budget } = context;
  const { status, transactionId } = filter;
  const filterId =
    transactionId != null ? readId('txn', transactionId, 'filter.transactionId') : undefined;
  const conditions = conditionsOf(filter);
  const hasTwoIds = filterId !== undefined && givenId !== undefined && filterId !== givenId;
  const window = readWindow(args, KIND);
  if (isImpossible(filter) || hasTwoIds) return toPage(KIND, window, NOTHING, budget);
  if (conditions.length === 0 && filterId === undefined && status == null) return undefined;
  const id = filterId ?? givenId;
  const copy = { ...toCopySearch(merchantId, id, filter, conditions, context), maxAgeSeconds };
  const found =
    (await searchCopy(replica, copy, window, budget)) ??
    (await walk(window, { ...disputes.paged(merchantId, id), ...copy.judged }, budget));
  return toPage(KIND, window, found, budget, () =>
    countCopy(replica, { ...copy, maxAgeSeconds: undefined }, budget),
  );
}

function toCopySearch(
  merchantId: string,
  id: string | undefined,
  { status, createdAt, dueAt }: DisputeFilter,
  given: readonly Condition<Dispute>[],
  context: Context,
) {
  const { disputes } = context;
  const conditions: readonly Condition<Dispute>[] = [
    ...given,
    // The service may ignore its filters.
    (dispute) => (readStringOrNull(dispute, 'merchantId') ?? merchantId) === merchantId,
    ...(id === undefined
      ? []
      : [(dispute: Dispute) => readString(dispute, 'transactionId') === id]),
  ];
  /** The transactions of disputes that were read from the replica. */
  const copied = new Map<string, Transaction>();

  const hasStatus = (found: DisputeStatus | null): Verdict =>
    found !== null && status?.includes(found) ? 'YES' : 'NO';
  return {
    merchantIds: [merchantId],
    list: disputeCopy,
    narrowing: {
      created: createdAt,
      labels: id === undefined ? [] : [[`transaction:${id}`]],
      texts: [],
      isExact: status == null && dueAt == null,
    },
    judged: {
      // The record itself does not contain the status.
      judge: (dispute: Dispute): Verdict => {
        const verdict = judge(dispute, conditions);
        if (verdict !== 'YES' || status == null) return verdict;
        const transaction = copied.get(readStringOrNull(dispute, 'transactionId') ?? '');
        const found = transaction && readable(() => statusIn(transaction, dispute.id));
        return found === undefined ? 'INCOMPLETE' : hasStatus(found);
      },
      judgeFull: async (dispute: Dispute): Promise<Verdict> => {
        const isComplete = judge(dispute, conditions) !== 'INCOMPLETE';
        const full = isComplete ? dispute : await disputes.loadFull(dispute);
        const verdict = judge(full, conditions);
        if (verdict !== 'YES' || status == null) return verdict;
        return hasStatus(await readStatus(full, context));
      },
      createdAt: (dispute: Dispute) => readable(() => readInstant(dispute, 'created')),
      created: createdAt ?? {},
    },
    adopt: async (records: readonly Dispute[], copy: Copy) => {
      disputes.adopt(records);
      if (status == null) return;
      const ids = records.flatMap(({ transactionId }) =>
        typeof transactionId === 'string' ? [transactionId] : [],
      );
      for (const record of await copy.pick<Transaction>('txn', ids)) copied.set(record.id, record);
    },
  };
}

/** Lists disputes without a filter. */
function readPage(
  merchantId: string,
  transactionId: string | undefined,
  args: PagingArguments,
  context: Context,
  info: SelectionInfo,
): Promise<Connection<Dispute>> {
  const { disputes, replica, search } = context;
  return resolvePage(args, info, {
    kind: KIND,
    fetch: (request) => disputes.list(merchantId, transactionId, request),
    countAll: () =>
      countCopy(replica, toCopySearch(merchantId, transactionId, {}, [], context), search),
  });
}

builder.objectField(TransactionRef, 'disputes', (t) =>
  t.field({
    type: DisputeConnection,
    ...semanticNonNull,
    description: 'Disputes about this transaction, newest first.',
    args: pagingArgs(t.arg),
    resolve: async (transaction, args, context, info) => {
      const merchantId = await context.transactions.read(transaction, (record) =>
        readString(record, 'merchantId'),
      );
      return readPage(merchantId, transaction.id, args, context, info);
    },
  }),
);
