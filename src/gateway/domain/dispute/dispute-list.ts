import { maxAgeArg } from '../../replica/max-age.ts';
import { searchCopy } from '../../replica/search-copy.ts';
import { builder } from '../../schema/builder.ts';
import { connectionType, pagingArgs, resolvePage } from '../../schema/connection.ts';
import type { Context } from '../../schema/context.ts';
import { readId } from '../../schema/node-id.ts';
import { type Connection, type PagingArguments, readWindow } from '../../schema/paging.ts';
import { semanticNonNull } from '../../schema/semantic-non-null.ts';
import { judge, readable, type Verdict } from '../../search/condition.ts';
import { NOTHING, toPage } from '../../search/search.ts';
import { searchField } from '../../search/search-progress.ts';
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
  isImpossible,
  readStatus,
} from './dispute-filter.ts';
import type { Dispute } from './dispute-source.ts';

const KIND = 'dsp';
const DisputeConnection = connectionType('Dispute', DisputeRef);
searchField(DisputeConnection);

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
      const id = transactionId ? readId('txn', transactionId, 'transactionId') : undefined;
      const found = filter && (await findDisputes(merchant.id, id, filter, args, context));
      return (
        found ??
        resolvePage(args, info, {
          kind: KIND,
          fetch: (request) => context.disputes.list(merchant.id, id, request),
        })
      );
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
  // The service may ignore its filters.
  conditions.push(
    (dispute) => (readStringOrNull(dispute, 'merchantId') ?? merchantId) === merchantId,
  );
  if (id !== undefined) conditions.push((dispute) => readString(dispute, 'transactionId') === id);

  /** The record itself does not contain the status. */
  const judgeFull = async (dispute: Dispute): Promise<Verdict> => {
    const isComplete = judge(dispute, conditions) !== 'INCOMPLETE';
    const full = isComplete ? dispute : await disputes.loadFull(dispute);
    const verdict = judge(full, conditions);
    if (verdict !== 'YES' || status == null) return verdict;
    const found = await readStatus(full, context);
    return found !== null && status.includes(found) ? 'YES' : 'NO';
  };
  const judged = {
    judge: (dispute: Dispute) => {
      const verdict = judge(dispute, conditions);
      return verdict === 'YES' && status != null ? 'INCOMPLETE' : verdict;
    },
    judgeFull,
    createdAt: (dispute: Dispute) => readable(() => readInstant(dispute, 'created')),
    created: filter.createdAt ?? {},
  };
  const labels = id === undefined ? [] : [[`transaction:${id}`]];
  const narrowing = { created: filter.createdAt, labels, texts: [] };
  const copy = {
    merchantId,
    list: disputeCopy,
    narrowing,
    judged,
    adopt: disputes.adopt,
    maxAgeSeconds,
  };
  const found =
    (await searchCopy(replica, copy, window, budget)) ??
    (await walk(window, { ...disputes.paged(merchantId, id), ...judged }, budget));
  return toPage(KIND, window, found, budget);
}

builder.objectField(TransactionRef, 'disputes', (t) =>
  t.field({
    type: DisputeConnection,
    ...semanticNonNull,
    description: 'Disputes about this transaction, newest first.',
    args: pagingArgs(t.arg),
    resolve: async (transaction, args, { disputes, transactions }, info) => {
      const merchantId = await transactions.read(transaction, (record) =>
        readString(record, 'merchantId'),
      );
      return resolvePage(args, info, {
        kind: KIND,
        fetch: (request) => disputes.list(merchantId, transaction.id, request),
      });
    },
  }),
);
