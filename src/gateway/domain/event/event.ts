import type { FeedEvent } from '../../events/feed.ts';
import { builder } from '../../schema/builder.ts';
import type { Context } from '../../schema/context.ts';
import { MoneyRef } from '../../schema/money.ts';
import { implementNode, NodeRef } from '../../schema/node.ts';
import { readId } from '../../schema/node-id.ts';
import { semanticNonNull } from '../../schema/semantic-non-null.ts';
import { mustExist, type RestRecord, readInteger } from '../../upstream/record.ts';
import { DisputeRef } from '../dispute/dispute.ts';
import { FraudAlertRef } from '../fraud-alert/fraud-alert.ts';
import { LineRef } from '../line/line.ts';
import { MerchantRef } from '../merchant/merchant.ts';
import { transactionMoney } from '../transaction/state.ts';
import { readTrail, type TrailEntry } from '../transaction/trail.ts';
import { TrailEntryRef } from '../transaction/trail-entry.ts';
import { TransactionRef } from '../transaction/transaction.ts';

type Transaction = typeof TransactionRef.$inferType;

/** What happened. */
export const EventKind = builder.enumType('EventKind', {
  description: 'What happened. Kinds can be added: ignore those that you do not know.',
  values: {
    TRANSACTION_CREATED: { description: 'A payment was authorized: its amount is reserved.' },
    TRANSACTION_DECLINED: { description: 'A payment was declined.' },
    TRANSACTION_CAPTURED: { description: 'An amount was captured.' },
    TRANSACTION_REFUNDED: { description: 'An amount was refunded.' },
    TRANSACTION_VOIDED: { description: 'A reserved amount was released.' },
    DISPUTE_OPENED: { description: 'A cardholder disputed a payment.' },
    DISPUTE_WON: { description: 'A dispute ended, and the merchant keeps the amount.' },
    DISPUTE_LOST: {
      description: 'A dispute ended, and the amount was returned to the cardholder.',
    },
    FRAUD_ALERT_RECEIVED: { description: 'A payment was reported as fraudulent.' },
    PAYOUT_SENT: { description: "A payout to the merchant's bank account." },
    BALANCE_CHANGED: { description: 'Another change of the balance, without a transaction.' },
    MONEY_OPERATION_RESOLVED: {
      description:
        'The outcome of a money operation of this gateway became known later than by the response of the payments service: see `operation`.',
    },
  },
});

/** Records that were read once for everybody who is told of an event. */
const parsed = new WeakMap<FeedEvent, Partial<Record<'transaction' | 'item', RestRecord>>>();

function recordOf(event: FeedEvent, part: 'transaction' | 'item'): RestRecord | undefined {
  const json = part === 'transaction' ? event.transactionRecord : event.itemRecord;
  if (json === null) return undefined;
  const known = parsed.get(event) ?? {};
  known[part] ??= JSON.parse(json) as RestRecord;
  parsed.set(event, known);
  return known[part];
}

/** Loads the transaction: from the replica, which shows what the event tells. */
export async function loadTransaction(event: FeedEvent, { transactions }: Context) {
  const copied = recordOf(event, 'transaction');
  if (copied === undefined) {
    return event.transaction === null ? null : transactions.load(event.transaction);
  }
  transactions.adopt([copied as Transaction]);
  return copied as Transaction;
}

/** What a source must do to load the line, dispute or fraud alert of an event. */
interface Source<R> {
  readonly load: (id: string) => Promise<R | null>;
  readonly adopt: (copied: readonly R[]) => unknown;
}

function loadItem<R extends RestRecord>(event: FeedEvent, kind: string, source: Source<R>) {
  if (event.itemKind !== kind || event.item === null) return null;
  const copied = recordOf(event, 'item') as R | undefined;
  if (copied === undefined) return source.load(event.item);
  source.adopt([copied]);
  return copied;
}

/** The entry of the trail that the event tells of. */
async function loadEntry(event: FeedEvent, context: Context): Promise<TrailEntry | null> {
  if (event.entry === null) return null;
  const transaction = await loadTransaction(event, context);
  if (transaction === null) return null;
  const [entry = null] = readTrail({ ...transaction, trail: [JSON.parse(event.entry)] });
  return entry && { ...entry, transaction };
}

/** Something that happened at a merchant. */
export const EventRef = builder.objectRef<FeedEvent>('Event').implement({
  description:
    'Something that happened at a merchant, whoever did it. Its records are as the replica has them when you read it, so they can show what happened later, too.',
  interfaces: [NodeRef],
  fields: (t) => ({
    seq: t.exposeInt('seq', {
      description: 'Number of the event among those of its merchant: 1, 2, 3, without gaps.',
    }),
    kind: t.field({
      type: EventKind,
      description: 'What happened.',
      resolve: ({ kind }) => kind as typeof EventKind.$inferType,
    }),
    happenedAt: t.expose('happened', {
      type: 'DateTime',
      nullable: true,
      description: 'When it happened: the time in the record that shows it. Null if not reported.',
    }),
    seenAt: t.expose('seen', { type: 'DateTime', description: 'When the gateway noticed it.' }),
    merchant: t.field({
      type: MerchantRef,
      ...semanticNonNull,
      description: 'The merchant.',
      resolve: ({ merchant }, _args, { merchants }) =>
        mustExist('payments', merchants.load(merchant)),
    }),
    transaction: t.field({
      type: TransactionRef,
      nullable: true,
      description: 'The transaction. Null if there is none, as for a payout.',
      resolve: (event, _args, context) => loadTransaction(event, context),
    }),
    trailEntry: t.field({
      type: TrailEntryRef,
      nullable: true,
      description: 'The entry of the trail that was added. Null unless the event is of a trail.',
      resolve: (event, _args, context) => loadEntry(event, context),
    }),
    amount: t.field({
      type: MoneyRef,
      nullable: true,
      description:
        "The amount that was authorized, declined, captured, refunded, voided or disputed, in the transaction's currency. Null for all other events.",
      resolve: async (event, _args, context) => {
        const transaction = await loadTransaction(event, context);
        if (transaction === null) return null;
        const entry = event.entry === null ? null : JSON.parse(event.entry);
        if (entry === null && event.itemKind !== null) return null;
        return transactionMoney(transaction, readInteger(entry ?? transaction, 'amount'));
      },
    }),
    line: t.field({
      type: LineRef,
      nullable: true,
      description: 'The balance line. Null if there is none, as for a void.',
      resolve: (event, _args, { lines }) => loadItem(event, 'lin', lines),
    }),
    dispute: t.field({
      type: DisputeRef,
      nullable: true,
      description: 'The dispute. Null unless the event is of a dispute.',
      resolve: (event, _args, { disputes }) => loadItem(event, 'dsp', disputes),
    }),
    fraudAlert: t.field({
      type: FraudAlertRef,
      nullable: true,
      description: 'The fraud alert. Null unless the event is of one.',
      resolve: (event, _args, { fraudAlerts }) => loadItem(event, 'frd', fraudAlerts),
    }),
  }),
});

/** The merchant and the number in an id. */
const RAW_ID = /^(.+)-(\d{1,15})$/;

/** Reads an event of a merchant that the caller has access to. */
async function loadEvent(id: string, { merchants, events }: Context): Promise<FeedEvent | null> {
  const [, merchantId, seq] = RAW_ID.exec(id) ?? [];
  if (merchantId === undefined || (await merchants.load(merchantId)) === null) return null;
  const after = Number(seq) - 1;
  const [event] = await events.read({ merchant: merchantId, after, limit: 1 });
  return event?.id === id ? event : null;
}

implementNode(EventRef, 'evt', loadEvent, { isOwn: true, idPattern: /^[A-Za-z0-9_-]{1,144}$/ });

builder.queryField('event', (t) =>
  t.field({
    type: EventRef,
    nullable: true,
    description: 'An event by its id. Null if it does not exist, or is not kept any more.',
    args: { id: t.arg.id({ required: true, description: 'A node id.' }) },
    resolve: (_root, { id }, context) => loadEvent(readId('evt', id), context),
  }),
);
